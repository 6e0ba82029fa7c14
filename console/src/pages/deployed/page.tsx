// One that is deployed: state and figures above, tabs below. What differs between kinds comes as tabs.

import { useEffect } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { may } from '../../api/session.ts';
import type { Active } from '../../api/server.ts';
import { propose } from '../../change/change.ts';
import { clock, count, moment, percent, rate } from '../../format.ts';
import { type Asked, useAsked } from '../../parts/asked.ts';
import { Icon } from '../../parts/icon.tsx';
import { type Action, Menu } from '../../parts/menu.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { go, route } from '../../router.ts';
import { addressOf } from '../../routes.ts';
import { t } from '../../text.ts';
import { Archive } from './archive.tsx';
import { activeOf, type Details, detailsOf, failedShare, type Kind, KINDS, remove, saidIn, start, stop, type Summary, summary } from './kinds.ts';
import { State } from './list.tsx';

const AGAIN_MS = 10_000;

export interface Shown {
  kind: Kind;
  name: string;
  details: Details;
  summary: Summary;
  active: Active | undefined;
}

export interface DeployedTab {
  id: string;
  title: string;
  view(shown: Shown): ComponentChildren;
}

export function DeployedPage({ kind, name, tabs }: { kind: Kind; name: string; tabs: readonly DeployedTab[] }) {
  const asked = useAsked(`${kind} ${name}`, (signal) => detailsOf(kind, name, signal));
  const active = useAsked(`${kind} ${name}`, () => activeOf(kind, name));
  useEffect(() => {
    const timer = setInterval(() => document.hidden || active.again(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [kind, name]);
  const { list, href } = KINDS[kind];
  const wanted = route.value?.query.get('tab') ?? tabs[0]?.id;
  const open = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  const shown = asked.answer && { kind, name, details: asked.answer, summary: summary(kind, asked.answer), active: active.answer };
  return (
    <div class="object-page">
      <header class="page-head">
        <p class="crumbs"><a href={addressOf(list, undefined)}>{t(`pages.${list}`)}</a></p>
        <div class="page-title">
          <h1 class="object">{name}</h1>
          {shown && <State state={shown.summary.state} />}
          {shown?.summary.version && <span class="tag">{t('deployed.versionOf', { version: shown.summary.version })}</span>}
          {shown && <Actions kind={kind} name={name} isStarted={shown.summary.state === 'started'} asked={asked} />}
        </div>
        {shown?.summary.description && <p class="quiet">{shown.summary.description}</p>}
      </header>
      {active.answer && <Figures active={active.answer} />}
      <Tabs label={name} tabs={tabs.map((tab) => ({ name: tab.title, href: href(name, tab === tabs[0] ? {} : { tab: tab.id }), isOpen: tab === open }))} />
      <div class="tab">
        {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
        {!shown && asked.isLoading && <Loading />}
        {shown && open?.view(shown)}
      </div>
    </div>
  );
}

function Figures({ active }: { active: Active }) {
  const { recent } = active;
  const share = failedShare(active);
  const lately = t('deployed.lately', { minutes: Math.max(1, Math.round(recent.seconds / 60)) });
  const figures: [string, ComponentChildren, string | undefined, boolean?][] = [
    [t('deployed.rate'), <>{rate(recent.perSecond)}<small>/s</small></>, lately],
    [t('deployed.p50'), time(recent.p50), lately],
    [t('deployed.p95'), time(recent.p95), lately],
    [t('deployed.failed'), percent(share), t('deployed.failedOf', { failed: recent.failed + recent.unanswered, all: recent.requests }), share !== null && share >= 5],
    [t('deployed.refused'), count(recent.refused), lately],
    [t('deployed.inFlight'), count(active.inFlight), undefined],
    [t('deployed.requests'), count(active.requests), t('deployed.sinceStart')],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value, note, warns]) => (
        <div key={name} class={warns ? 'figure is-warning' : 'figure'}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note !== undefined && <dd class="figure-note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

function time(ms: number | null): ComponentChildren {
  return ms === null ? '–' : <>{ms < 10 ? ms.toFixed(1) : count(Math.round(ms))}<small> ms</small></>;
}

function Actions({ kind, name, isStarted, asked }: { kind: Kind; name: string; isStarted: boolean; asked: Asked<Details> }) {
  const isReplacing = useSignal(false);
  if (!may.value.change || !may.value.administer) return null;
  async function change(what: 'start' | 'stop' | 'remove'): Promise<void> {
    const isDone = await propose({
      title: t(`deployed.${what}Named`, { name }), qmgr: '', danger: what !== 'start', children: <p>{t(`deployed.${what}Text`, { count: 1 })}</p>,
      steps: what === 'start' ? [start(kind, name)] : what === 'stop' ? [stop(kind, name)] : [...(isStarted ? [stop(kind, name)] : []), remove(kind, name)],
      done: t(`deployed.${what}Done`, { count: 1 }),
    });
    if (!isDone) return;
    if (what === 'remove') go(addressOf(KINDS[kind].list, undefined));
    else asked.again();
  }
  const actions: Action[] = [
    isStarted ? { name: t('deployed.stop'), run: () => void change('stop') } : { name: t('deployed.start'), run: () => void change('start') },
    { name: t('deployed.replace'), icon: 'upload', run: () => (isReplacing.value = true) },
    { name: t('deployed.remove'), icon: 'remove', danger: true, run: () => void change('remove') },
  ];
  return (
    <>
      <Menu class="button secondary" button={<><span>{t('queue.actions')}</span><Icon name="open" /></>} actions={actions} edge="end" />
      {isReplacing.value && <Archive kind={kind} name={name} isStarted={isStarted} onClose={() => (isReplacing.value = false)} done={asked.again} />}
    </>
  );
}

/** Facts in pairs: what is not there is left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.filter(([, value]) => value !== undefined && value !== null && value !== '').map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The last calls that failed, with what the callers got. */
export function Errors({ active }: { active: Active | undefined }) {
  if (!active) return null;
  return (
    <section aria-labelledby="deployed-errors">
      <h2 id="deployed-errors">{t('deployed.errors')}</h2>
      {active.errors.length === 0 ? <p class="quiet">{t('deployed.noErrors')}</p> : (
        <div class="table-box" tabIndex={0}>
          <table class="plain-table">
            <thead>
              <tr><th scope="col">{t('deployed.when')}</th><th scope="col">{t('deployed.status')}</th><th scope="col" class="is-end">{t('deployed.took')}</th><th scope="col">{t('deployed.answer')}</th></tr>
            </thead>
            <tbody>
              {active.errors.map(({ at, status, milliseconds, answer }) => (
                <tr key={at + answer}>
                  <td><time title={moment(at)}>{clock(at)}</time></td>
                  <td>{status === 204 ? t('deployed.noReply') : String(status)}</td>
                  <td class="is-end">{time(milliseconds)}</td>
                  <td class="object">{saidIn(answer)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
