// Dialogs and the drawer at the side, both native <dialog> elements.
//
// A part that is shown only while it is open: render it when it is wanted, and `onClose` says that it is not. Esc closes. A dialog is modal. A
// drawer is not: the list beside it can be used, and what the drawer shows may change while it is open.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../text.ts';
import { IconButton } from './button.tsx';

interface DialogProps {
  title: string;
  /** A line above the title, such as the object. */
  above?: string | undefined;
  /** Wide enough for a table. */
  wide?: boolean;
  onClose(): void;
  /** What stands at the bottom: buttons. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** In the middle, over the page. */
export function Dialog({ title, above, wide = false, onClose, actions, children }: DialogProps) {
  return (
    <Modal kind={wide ? 'dialog is-wide' : 'dialog'} title={title} above={above} onClose={onClose} actions={actions}>
      {children}
    </Modal>
  );
}

/** At the side: details of what is selected. The page gives what is open a place in its address. */
export function Drawer({ title, above, wide = false, onClose, actions, children }: DialogProps) {
  return (
    <Modal kind={wide ? 'drawer is-wide' : 'drawer'} title={title} above={above} onClose={onClose} actions={actions}>
      {children}
    </Modal>
  );
}

function Modal({ kind, title, above, onClose, actions, children }: { kind: string } & DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the next key: what is typed right behind the one that opened it belongs here.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    const before = document.activeElement;
    if (kind.startsWith('drawer')) dialog.show();
    else dialog.showModal();
    const first = dialog.querySelector<HTMLElement>('[autofocus], .dialog-body input, .dialog-body select, .dialog-body textarea');
    first?.focus();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element} class={kind} aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        // The browser closes modal ones by itself.
        if (event.key !== 'Escape' || event.defaultPrevented || !kind.startsWith('drawer') || document.querySelector(':popover-open')) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <div>
            {above && <p class="dialog-above">{above}</p>}
            <h2 id={id}>{title}</h2>
          </div>
          <IconButton icon="close" label={t('shell.close')} onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {actions && <footer class="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
