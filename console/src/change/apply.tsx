// The dialog before a change: what will happen, the same as MQSC, curl and command line, and the button that does it.
//
// Fields of the change are part of the dialog, and the commands follow what is typed. Steps run in order and stop at the first that is refused. What was done by then is said, and the dialog stays.

import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { problemIn } from '../api/request.ts';
import { session } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Code } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failed } from '../parts/states.tsx';
import { toast } from '../parts/toasts.tsx';
import { t } from '../text.ts';
import { asCommand, asCurl, asMqsc, type Change, make, proposed } from './change.ts';

export function ProposedChange() {
  const open = proposed.value;
  return open ? <Apply key={open.change.title} change={open.change} settle={open.settle} /> : null;
}

/** What depends on the fields of the dialog is a function. */
function now<Type>(value: Type | (() => Type)): Type {
  return typeof value === 'function' ? (value as () => Type)() : value;
}

type Form = 'mqsc' | 'curl' | 'command';

function Apply({ change, settle }: { change: Change; settle(isDone: boolean): void }) {
  const { title, qmgr, children, danger = false, wide = false, done } = change;
  const steps = now(change.steps);
  const typed = now(change.typed);
  const apply = now(change.apply) ?? t('change.apply');
  const isBusy = useSignal(false);
  const made = useSignal(0);
  const failure = useSignal<unknown>(undefined);
  const text = useSignal('');
  const forms: [Form, string, string | undefined][] = [
    ['mqsc', t('change.mqsc'), asMqsc(steps)],
    ['curl', t('change.curl'), asCurl(qmgr, steps, session.value?.user ?? 'admin', location.origin)],
    ['command', t('change.command'), asCommand(qmgr, steps)],
  ];
  const offered = forms.filter(([, , form]) => form !== undefined);
  const shown = useSignal<Form>(offered[0]?.[0] ?? 'curl');
  const open = offered.find(([form]) => form === shown.value) ?? offered[0];
  const isReady = (typed === undefined || text.value === typed) && (change.isReady?.() ?? true) && steps.length > 0;
  const form = useRef<HTMLFormElement>(null);
  const id = useId();

  async function run(): Promise<void> {
    if (isBusy.peek() || !isReady || !form.current?.reportValidity()) return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      for (const step of steps.slice(made.peek())) {
        await make(qmgr, step);
        made.value += 1;
      }
    } catch (error) {
      failure.value = error;
      isBusy.value = false;
      return;
    }
    toast('good', now(done));
    settle(true);
  }

  return (
    <Dialog
      title={title} above={qmgr} wide={wide} onClose={() => isBusy.value || settle(false)}
      actions={
        <>
          <Button kind="secondary" disabled={isBusy.value} onClick={() => settle(false)}>{t('change.cancel')}</Button>
          <Button kind={danger ? 'danger' : 'primary'} submit form={id} disabled={!isReady || isBusy.value}>
            {isBusy.value ? t('change.busy') : apply}
          </Button>
        </>
      }
    >
      <form
        ref={form} id={id} class="apply"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {children}
        {steps.length > 0 && (
          <div class="apply-forms" role="group" aria-label={t('change.same')}>
            <div class="segments">
              {offered.map(([form, name]) => (
                <button key={form} type="button" aria-pressed={form === open?.[0]} onClick={() => (shown.value = form)}>{name}</button>
              ))}
            </div>
            <Code text={open?.[2] ?? ''} label={open?.[1] ?? ''} />
          </div>
        )}
        {typed !== undefined && (
          <label class="field">
            <span>{t('change.type', { text: typed })}</span>
            <input type="text" autocomplete="off" spellcheck={false} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
          </label>
        )}
        {failure.value !== undefined && (
          <>
            <Failed error={failure.value} />
            {made.value > 0 && <p class="quiet">{t('change.partly', { done: made.value, all: steps.length })}</p>}
          </>
        )}
        {problemIn(failure.value).status === 403 && <p class="quiet">{t('change.denied')}</p>}
      </form>
    </Dialog>
  );
}
