// Why something is refused, at the side: who asks for what, the steps of the decision with the record that decided, and what would change it.
//
// The question stands in the address. Nothing is decided and nothing noted by asking.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { may, session } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import { useAsked } from '../../parts/asked.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/copy.tsx';
import { Drawer } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { route, setQuery } from '../../router.ts';
import { t, textOf } from '../../text.ts';
import { explain, type Explanation, NO_QUESTION, type Question, type Remedy, type Step, type Weighed } from './answers.ts';
import { isObjectType, OBJECT_TYPES, type ObjectType, wordsOf } from './words.ts';

interface ExplainProps {
  qmgr: string;
  question: Question | undefined;
  /** What a new question is about, and its channel. */
  about?: Question['about'];
  channel?: string;
  /** A remedy was applied. */
  changed(): void;
}

export function Explain({ qmgr, question, about = 'call', channel = '', changed }: ExplainProps) {
  return (
    <Drawer title={t('authority.explain')} above={qmgr} onClose={() => setQuery(NO_QUESTION)}>
      <div class="explain">
        <QuestionForm key={JSON.stringify(question)} question={question} otherwise={about} channelOtherwise={channel} />
        {question && <Answer qmgr={qmgr} question={question} changed={changed} />}
      </div>
    </Drawer>
  );
}

function QuestionForm({ question, otherwise, channelOtherwise }: { question: Question | undefined; otherwise: Question['about']; channelOtherwise: string }) {
  const given: Record<string, string> = question?.query ?? Object.fromEntries(route.value?.query ?? []);
  const isWhole = useSignal(question === undefined);
  const about = useSignal<'call' | 'client'>(question?.about ?? otherwise);
  const user = useSignal(given['user'] ?? (may.value.administer ? '' : (session.value?.user ?? '')));
  const type = useSignal<ObjectType>(typeIn(given));
  const name = useSignal(given['queue'] ?? given['topic'] ?? given['object'] ?? '');
  const wants = useSignal(given['wants'] ?? '');
  const channel = useSignal((question?.about === 'client' ? given['name'] : given['channel']) ?? channelOtherwise);
  const address = useSignal(given['address'] ?? '');
  const isRight = useSignal(question === undefined || given['authenticated'] === 'true');
  useEffect(() => {
    if (!question) wants.value = '';
  }, [type.value]);

  function ask(): void {
    const from = { address: address.value || undefined, authenticated: isRight.value ? 'true' : undefined };
    const object = type.value === 'QUEUE' ? { queue: name.value } : type.value === 'QMGR' ? { type: 'qmgr' } : type.value === 'TOPIC' && name.value.includes('/') ? { topic: name.value } : { object: name.value, type: type.value.toLowerCase() };
    const next =
      about.value === 'client'
        ? { name: channel.value, user: user.value || undefined, ...from }
        : { user: user.value, ...object, wants: wants.value.replaceAll(' ', '') || undefined, ...(channel.value === '' ? {} : { channel: channel.value, ...from }) };
    setQuery({ ...NO_QUESTION, open: 'explain', ...next }, { replace: false });
  }

  if (!isWhole.value && question) return <Summary question={question} edit={() => (isWhole.value = true)} />;
  return (
    <form
      class="explain-form"
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <div class="segments" role="group" aria-label={t('authority.about')}>
        {(['call', 'client'] as const).map((one) => (
          <button key={one} type="button" aria-pressed={about.value === one} onClick={() => (about.value = one)}>{t(`authority.${one}`)}</button>
        ))}
      </div>
      <div class="fields">
        <Field label={t('authority.user')} value={user} required={about.value === 'call'} maxLength={64} />
        {about.value === 'call' && <Select label={t('authority.type')} value={type} options={OBJECT_TYPES.map((one) => [one, t(`objectType.${one}`)])} />}
        {about.value === 'call' && type.value !== 'QMGR' && <Field label={t('authority.object')} value={name} required hint={type.value === 'TOPIC' ? t('authority.topicHint') : undefined} />}
        {about.value === 'call' && <Field label={t('authority.wants')} value={wants} hint={wordsOf(type.value).calls.slice(0, 4).join(', ') || wordsOf(type.value).commands.join(', ')} />}
        <Field label={t('authority.channel')} value={channel} required={about.value === 'client'} maxLength={20} hint={about.value === 'call' ? t('authority.channelHint') : undefined} />
        {(about.value === 'client' || channel.value !== '') && <Field label={t('authority.address')} value={address} required hint={t('authority.addressHint')} />}
      </div>
      {(about.value === 'client' || channel.value !== '') && (
        <label class="check">
          <input type="checkbox" checked={isRight.value} onChange={(event) => (isRight.value = event.currentTarget.checked)} />
          <span>{t('authority.passwordRight')}</span>
        </label>
      )}
      <Button kind="primary" submit>{t('authority.ask')}</Button>
    </form>
  );
}

/** The question in one sentence. */
function Summary({ question: { about, query }, edit }: { question: Question; edit(): void }) {
  const object = query['queue'] ?? query['topic'] ?? query['object'] ?? t('objectType.QMGR');
  const from = query['channel'] ? t('authority.from', { channel: query['channel'], address: query['address'] ?? '' }) : '';
  const sentence =
    about === 'client'
      ? t('authority.sumClient', { user: query['user'] ?? t('authority.anyUser'), channel: query['name'] ?? '', address: query['address'] ?? '' })
      : t('authority.sumCall', { user: query['user'] ?? '', wants: (query['wants'] ?? t('authority.usual')).toUpperCase(), object, from });
  return (
    <p class="explain-summary">
      <span>{sentence}</span>
      <button type="button" class="link" onClick={edit}>{t('authority.edit')}</button>
    </p>
  );
}

function Answer({ qmgr, question, changed }: { qmgr: string; question: Question; changed(): void }) {
  const asked = useAsked(JSON.stringify([qmgr, question]), (signal) => explain(qmgr, question, signal));
  if (asked.error !== undefined) return <Failed error={asked.error} again={asked.again} />;
  if (!asked.answer) return <Loading />;
  const applied = () => {
    asked.again();
    changed();
  };
  return <Verdict qmgr={qmgr} explanation={asked.answer} applied={applied} />;
}

/** An explanation: the verdict, its steps and its remedies. */
export function Verdict({ qmgr, explanation: { allowed, reason, cause, steps, remedy }, applied }: { qmgr: string; explanation: Explanation; applied(): void }) {
  return (
    <>
      <div class={allowed ? 'verdict is-allowed' : 'verdict is-refused'} role="status">
        <Icon name={allowed ? 'good' : 'error'} class={allowed ? 'is-good' : 'is-error'} />
        <div>
          <p class="verdict-title">{allowed ? t('authority.allowed') : reason ? t('authority.refusedWith', { code: String(reason.code), name: reason.name ?? '' }) : t('authority.refused')}</p>
          {cause && <p>{cause}</p>}
        </div>
      </div>
      {remedy.length > 0 && (
        <section aria-labelledby="remedies">
          <h3 id="remedies" class="explain-title">{t('authority.remedies')}</h3>
          <ul class="remedies">
            {remedy.map((one, index) => <RemedyView key={one.mqsc.join()} qmgr={qmgr} remedy={one} isLeast={index === 0} applied={applied} />)}
          </ul>
        </section>
      )}
      <section aria-labelledby="steps">
        <h3 id="steps" class="explain-title">{t('authority.path')}</h3>
        <ol class="steps">{steps.map((step, index) => <StepView key={index} step={step} />)}</ol>
      </section>
    </>
  );
}

function StepView({ step: { at, text, allowed, record, by, anyOf } }: { step: Step }) {
  const weighed = by?.filter(({ passedOver }) => by.length > 1 || passedOver.length > 0) ?? [];
  return (
    <li class={allowed === false ? 'step is-refused' : 'step'}>
      <Icon name={allowed === undefined ? 'next' : allowed ? 'good' : 'error'} class={allowed === undefined ? 'quiet' : allowed ? 'is-good' : 'is-error'} />
      <div class="step-body">
        <p class="step-at">{textOf(`step-at.${at}`) ?? at}</p>
        <p class="step-text">{text}</p>
        {record && <Code text={record} label={t('authority.record')} />}
        {weighed.length > 0 && <ul class="weighed">{weighed.map((one) => <WeighedView key={`${one.type} ${one.name}`} weighed={one} />)}</ul>}
        {anyOf && <ol class="steps">{anyOf.map((one, index) => <StepView key={index} step={one} />)}</ol>}
      </div>
    </li>
  );
}

function WeighedView({ weighed: { type, name, profile, passedOver, grants } }: { weighed: Weighed }) {
  const who = t(type === 'user' ? 'authority.theUser' : 'authority.theGroup', { name });
  return (
    <li>
      {profile === null ? t('authority.noRecord', { who }) : t('authority.grants', { who, profile, grants: grants.join(', ') || 'NONE' })}
      {passedOver.length > 0 && <span class="quiet"> {t('authority.passedOver', { profiles: passedOver.join(', ') })}</span>}
    </li>
  );
}

function RemedyView({ qmgr, remedy: { mqsc, scope }, isLeast, applied }: { qmgr: string; remedy: Remedy; isLeast: boolean; applied(): void }) {
  const name = isLeast ? leastOf({ scope }) : t('authority.grantThis');
  async function apply(): Promise<void> {
    if (await proposeRemedy(qmgr, { mqsc, scope }, name)) applied();
  }
  return (
    <li class="remedy">
      <p>{textOf(`remedy.${scope}`) ?? ''}</p>
      <Code text={mqsc.join('\n')} label={t('change.mqsc')} />
      {may.value.change && <Button kind={isLeast ? 'primary' : 'secondary'} onClick={() => void apply()}>{name}</Button>}
    </li>
  );
}

/** The name of the first remedy. */
function leastOf({ scope }: Pick<Remedy, 'scope'>): string {
  return t(scope === 'channel' ? 'authority.letIn' : 'authority.least');
}

/** Proposes what would allow something. */
export function proposeRemedy(qmgr: string, { mqsc, scope }: Remedy, name = leastOf({ scope })): Promise<boolean> {
  return propose({
    title: name, qmgr, done: t('authority.granted'), apply: name, steps: mqsc.map((command) => ({ mqsc: command })), children: <p>{textOf(`remedy.${scope}`) ?? ''}</p>,
  });
}

function typeIn(given: Record<string, string>): ObjectType {
  const word = given['topic'] ? 'TOPIC' : (given['type'] ?? 'queue').toUpperCase();
  return isObjectType(word) ? word : 'QUEUE';
}
