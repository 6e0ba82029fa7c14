// Buttons: with a text, or with an icon whose name is heard and shown as a tip.

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  /** Looks: `plain` is for toolbars, `danger` destroys. */
  kind?: 'primary' | 'secondary' | 'plain' | 'danger';
  icon?: IconName;
  disabled?: boolean;
  /** Why it is disabled, or what it does. */
  tip?: string | undefined;
  submit?: boolean;
  /** The form that it submits, where it stands outside of it. */
  form?: string;
  onClick?(): void;
  children: ComponentChildren;
}

export function Button({ kind = 'secondary', icon, disabled = false, tip, submit = false, form, onClick, children }: ButtonProps) {
  return (
    <button type={submit ? 'submit' : 'button'} form={form} class={`button ${kind}`} disabled={disabled} title={tip} onClick={onClick}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

interface IconButtonProps {
  icon: IconName;
  /** The accessible name. */
  label: string;
  disabled?: boolean;
  pressed?: boolean;
  popovertarget?: string;
  onClick?(): void;
}

export function IconButton({ icon, label, disabled = false, pressed, popovertarget, onClick }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} aria-pressed={pressed} disabled={disabled} popovertarget={popovertarget} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
