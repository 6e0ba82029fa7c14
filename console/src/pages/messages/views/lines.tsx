// Lines of any number in a window: what text, JSON and hex views are drawn with. Lines have one height; only those on screen are elements.
//
// Keyboard: the box has the focus and scrolls as any does. What is selected and copied is what is on screen; "Copy all" is for the rest.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { windowOf } from '../../../grid/window.ts';

const LINE = 20;

interface LinesProps {
  label: string;
  count: number;
  line(index: number): ComponentChildren;
  /** The lines on screen. */
  onSeen?(first: number, last: number): void;
  /** How many characters fit side by side, when that changes. */
  onWidth?(characters: number): void;
  /** A line to bring on screen. */
  goTo?: number | undefined;
  /** Redraws. */
  version?: unknown;
}

export function Lines({ label, count, line, onSeen, onWidth, goTo }: LinesProps) {
  const view = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const scroll = useSignal(0);
  const size = useSignal(400);
  const { first, last, height, top } = windowOf(count, LINE, scroll.value, size.value);
  useLayoutEffect(() => {
    const element = view.current;
    if (!element) return;
    const measure = new ResizeObserver(() => {
      size.value = element.clientHeight;
      const width = (probe.current?.getBoundingClientRect().width ?? 80) / 10;
      onWidth?.(Math.max(20, Math.floor((element.clientWidth - 84) / width)));
    });
    measure.observe(element);
    return () => measure.disconnect();
  }, []);
  useEffect(() => onSeen?.(first, last), [first, last, count]);
  useEffect(() => {
    if (goTo === undefined || !view.current) return;
    const at = goTo * LINE;
    if (at < view.current.scrollTop || at > view.current.scrollTop + size.peek() - 2 * LINE) view.current.scrollTop = Math.max(0, at - size.peek() / 3);
  }, [goTo]);
  const shown = Array.from({ length: Math.max(0, Math.min(last, count - 1) - first + 1) }, (_, offset) => first + offset);
  return (
    <div class="lines-view" tabIndex={0} role="region" aria-label={label} ref={view} onScroll={(event) => (scroll.value = event.currentTarget.scrollTop)}>
      <span class="probe mono" ref={probe} aria-hidden="true">0000000000</span>
      <div class="lines-space" style={{ height: `${height}px` }}>
        <div class="lines-window" style={{ transform: `translateY(${top}px)` }}>{shown.map((index) => <div key={index} class="one-line">{line(index)}</div>)}</div>
      </div>
    </div>
  );
}
