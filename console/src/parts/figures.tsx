// A figure of an object: its name, its value, and a note below. They stand in a <dl class="figures">.

import type { ComponentChildren } from 'preact';

interface FigureProps {
  name: string;
  note?: ComponentChildren;
  /** It needs attention. */
  warns?: boolean;
  children: ComponentChildren;
}

export function Figure({ name, note, warns = false, children }: FigureProps) {
  return (
    <div class={warns ? 'figure is-warning' : 'figure'}>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {note !== undefined && <dd class="figure-note">{note}</dd>}
    </div>
  );
}
