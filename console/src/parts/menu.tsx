// A button that opens a popover below it: a menu of actions, or a small form. Native popovers close by Esc and by a click elsewhere.

import type { ComponentChildren, JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface PopoverProps {
  /** What the button shows. */
  button: ComponentChildren;
  /** Accessible name, where the button shows no text. */
  label?: string | undefined;
  class?: string;
  /** Which edge of the button the popover keeps to. */
  edge?: 'start' | 'end';
  children: ComponentChildren;
}

export function Popover({ button, label, class: extra = 'button plain', edge = 'start', children }: PopoverProps) {
  const id = useId();
  const anchor = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  function place(event: JSX.TargetedToggleEvent<HTMLDivElement>): void {
    const isOpen = event.newState === 'open';
    anchor.current?.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen || !anchor.current || !box.current) return;
    const { left, right, bottom, top } = anchor.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = box.current;
    const wanted = edge === 'start' ? left : right - width;
    const isBelow = bottom + height + 8 <= innerHeight || top < height;
    box.current.style.left = `${Math.max(8, Math.min(wanted, innerWidth - width - 8))}px`;
    box.current.style.top = `${isBelow ? bottom + 2 : top - height - 2}px`;
    box.current.querySelector<HTMLElement>('[role^=menuitem], input, select, button')?.focus();
  }
  return (
    <>
      <button ref={anchor} type="button" class={extra} popovertarget={id} aria-label={label} title={label} aria-expanded="false">{button}</button>
      <div ref={box} id={id} popover="auto" class="popover" onToggle={place}>{children}</div>
    </>
  );
}

export interface Action {
  name: string;
  icon?: IconName;
  danger?: boolean;
  /** Why it cannot be done now. */
  not?: string | undefined;
  href?: string;
  run?(): void;
}

/** A list of actions. */
export function Menu({ actions, ...popover }: { actions: readonly Action[] } & Omit<PopoverProps, 'children'>) {
  function onKey(event: JSX.TargetedKeyboardEvent<HTMLDivElement>): void {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const target = { ArrowDown: items[at + 1] ?? items[0], ArrowUp: items.at(at - 1), Home: items[0], End: items.at(-1) }[event.key];
    if (!target) return;
    event.preventDefault();
    event.stopPropagation();
    target.focus();
  }
  return (
    <Popover {...popover}>
      <div class="menu" role="menu" onKeyDown={onKey}>
        {actions.map((action) => <Item key={action.name} action={action} />)}
      </div>
    </Popover>
  );
}

function Item({ action: { name, icon, danger, not, href, run } }: { action: Action }) {
  const shown = (
    <>
      {icon && <Icon name={icon} />}
      <span>{name}</span>
    </>
  );
  const classes = danger ? 'menu-item is-danger' : 'menu-item';
  const close = (event: Event) => (event.currentTarget as HTMLElement).closest<HTMLElement>('[popover]')?.hidePopover();
  if (href) return <a class={classes} role="menuitem" tabIndex={-1} href={href} onClick={close}>{shown}</a>;
  return (
    <button
      type="button" class={classes} role="menuitem" tabIndex={-1} disabled={not !== undefined} title={not}
      onClick={(event) => {
        close(event);
        run?.();
      }}
    >
      {shown}
    </button>
  );
}
