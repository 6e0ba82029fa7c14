// Templates of messages, kept by the browser: what describes a message, never its data.
//
// Invariant: neither data nor identifiers nor a file are stored.

import type { Draft } from './draft.ts';

const STORED = 'quaymaster.templates';

type Template = Omit<Draft, 'text' | 'hex' | 'file' | 'record' | 'original' | 'correlationId' | 'groupId'>;

export function templates(): Record<string, Template> {
  try {
    return (JSON.parse(localStorage.getItem(STORED) ?? '{}') ?? {}) as Record<string, Template>;
  } catch {
    return {};
  }
}

export function keepTemplate(name: string, draft: Draft): boolean {
  const { text: _, hex: _1, file: _2, record: _3, original: _4, correlationId: _5, groupId: _6, ...template } = draft;
  return write({ ...templates(), [name]: template });
}

export function dropTemplate(name: string): void {
  const { [name]: _, ...others } = templates();
  write(others);
}

function write(all: Record<string, Template>): boolean {
  try {
    localStorage.setItem(STORED, JSON.stringify(all));
    return true;
  } catch {
    return false;
  }
}
