// The button that makes a call, the call as curl, and the answer: status, time, headers, body.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { session } from '../../api/session.ts';
import { bytes } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/copy.tsx';
import { Failed } from '../../parts/states.tsx';
import { announce } from '../../parts/toasts.tsx';
import { t } from '../../text.ts';
import { type Call, curlOf, make, type Reply, textOf } from './call.ts';

interface ExchangeProps {
  call: Call;
  /** Why it cannot be made. */
  not?: string | undefined;
  /** It may change or destroy something: a second press is needed. */
  isAsked?: boolean;
  done?(reply: Reply): void;
}

export function Exchange({ call, not, isAsked = false, done }: ExchangeProps) {
  const reply = useSignal<Reply | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const isSure = useSignal(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  useEffect(() => {
    isSure.value = false;
  }, [call.method, call.address]);

  async function send(): Promise<void> {
    if (isAsked && !isSure.peek()) {
      isSure.value = true;
      return;
    }
    isSure.value = false;
    isBusy.value = true;
    failure.value = undefined;
    stop.current = new AbortController();
    try {
      const found = await make(call, stop.current.signal);
      reply.value = found;
      announce(t('try.announced', { status: String(found.status), ms: Math.round(found.ms) }));
      done?.(found);
    } catch (error) {
      if (!stop.current.signal.aborted) failure.value = error;
    }
    isBusy.value = false;
  }

  return (
    <div class="exchange">
      <div class="exchange-do">
        <Button kind={isSure.value ? 'danger' : 'primary'} disabled={not !== undefined || isBusy.value} tip={not} onClick={() => void send()}>
          {isBusy.value ? t('change.busy') : isSure.value ? t('try.sure', { method: call.method }) : t('try.send', { method: call.method })}
        </Button>
        {isBusy.value && <Button kind="plain" onClick={() => stop.current.abort()}>{t('mqsc.stop')}</Button>}
        {not !== undefined && <span class="quiet">{not}</span>}
      </div>
      <details class="exchange-curl">
        <summary>{t('change.curl')}</summary>
        <Code label={t('change.curl')} text={curlOf(call, session.value?.user ?? 'admin', location.origin)} />
      </details>
      {failure.value !== undefined && <Failed error={failure.value} />}
      {reply.value && <Answer reply={reply.value} />}
    </div>
  );
}

function Answer({ reply }: { reply: Reply }) {
  const text = textOf(reply);
  const kind = reply.status < 300 ? 'is-good' : reply.status < 500 ? 'is-warning' : 'is-error';
  return (
    <section class="answer" aria-label={t('try.answer')}>
      <p class="answer-line">
        <strong class={kind}>{reply.status} {reply.statusText}</strong>
        <span>{reply.ms < 10 ? reply.ms.toFixed(1) : Math.round(reply.ms)} ms</span>
        <span class="quiet">{bytes(reply.bytes.length)}</span>
        <span class="quiet">{reply.type}</span>
      </p>
      {text === '' ? <p class="quiet">{t('try.noBody')}</p> : <Code label={t('try.body')} text={text} />}
      <details>
        <summary>{t('try.headers')}</summary>
        <Code label={t('try.headers')} text={reply.headers.map(([name, value]) => `${name}: ${value}`).join('\n')} />
      </details>
    </section>
  );
}
