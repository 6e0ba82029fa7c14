// Problems as sentences: what is wrong, since when, what to look at next, and a way to have it out of sight for a while.

import type { OperationsProblem as Trouble } from '../../api/operations.ts';
import { problemIn, request } from '../../api/request.ts';
import { age, clock, moment } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { toast } from '../../parts/toasts.tsx';
import { t, textOf, type Values } from '../../text.ts';
import { homeOf, stepsOf } from './steps.ts';

interface ProblemsProps {
  qmgr: string;
  problems: readonly Trouble[];
  /** One was muted, or is heard again. */
  changed(): void;
}

export function Problems({ qmgr, problems, changed }: ProblemsProps) {
  return (
    <ul class="problems">
      {problems.map((problem) => <Problem key={problem.id} qmgr={qmgr} problem={problem} changed={changed} />)}
    </ul>
  );
}

function Problem({ qmgr, problem, changed }: { qmgr: string; problem: Trouble; changed(): void }) {
  const { id, severity, since, mutedUntil } = problem;
  async function mute(span: '1h' | 'change' | undefined): Promise<void> {
    try {
      const path = { qmgr, problem: id };
      if (span) await request('PUT /api/v1/qmgr/{qmgr}/problems/{problem}/mute', { path, json: { for: span } });
      else await request('DELETE /api/v1/qmgr/{qmgr}/problems/{problem}/mute', { path });
      changed();
    } catch (error) {
      toast('error', problemIn(error).detail);
    }
  }
  return (
    <li class={`problem is-${severity}`}>
      <Icon name={severity} class={`is-${severity}`} />
      <div class="problem-text">
        <p><span class="heard">{t(`severity.${severity}`)}: </span><Sentence qmgr={qmgr} problem={problem} /></p>
        <p class="problem-next">
          {stepsOf(qmgr, problem).map((step) =>
            'href' in step ? (
              <a key={step.name} href={step.href}>{step.name}</a>
            ) : (
              <button key={step.name} type="button" class="link" onClick={() => void step.run().then((isDone) => isDone && changed())}>{step.name}</button>
            ),
          )}
        </p>
      </div>
      <time class="problem-since" title={moment(since)}>{mutedUntil === null ? age(since) : mutedUntil === 'change' ? t('now.mutedChange') : t('now.mutedUntil', { time: clock(mutedUntil) })}</time>
      <Menu
          class="icon-button" label={t('now.mute')} edge="end" button={<Icon name="mute" />}
          actions={
            mutedUntil !== null
              ? [{ name: t('now.unmute'), run: () => void mute(undefined) }]
              : [{ name: t('now.muteHour'), run: () => void mute('1h') }, { name: t('now.muteChange'), run: () => void mute('change') }]
          }
      />
    </li>
  );
}

/** The sentence of a rule, with the object as a link. */
function Sentence({ qmgr, problem }: { qmgr: string; problem: Trouble }) {
  const sentence = textOf(`problem.${problem.rule}`, valuesOf(problem)) ?? problem.text;
  const { name } = problem.object;
  const at = sentence.indexOf(name);
  const href = homeOf(qmgr, problem.object);
  if (at < 0 || name === '' || !href) return <Words text={sentence} />;
  return <><Words text={sentence.slice(0, at)} /><a class="object" href={href}>{name}</a><Words text={sentence.slice(at + name.length)} /></>;
}

/** A sentence of the server: what stands between backticks is a command. */
export function Words({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index} class="mono">{part}</code> : part))}</>;
}

/** The values of a problem as texts take them. */
function valuesOf({ values, object }: Trouble): Values {
  const fitting = Object.entries(values).filter((entry): entry is [string, string | number] => typeof entry[1] === 'string' || typeof entry[1] === 'number');
  return { ...Object.fromEntries(fitting), name: object.name };
}
