// The header: which queue manager, the search, whether values are live, who is signed in, and settings.

import { liveState } from '../api/live.ts';
import { session, signOut } from '../api/session.ts';
import { PAGES } from '../pages.ts';
import { problemIn } from '../api/request.ts';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu, Popover } from '../parts/menu.tsx';
import { toast } from '../parts/toasts.tsx';
import { qmgrOfRoute, route } from '../router.ts';
import { addressOf, link } from '../routes.ts';
import { density, singleKeys, theme, zone } from '../settings.ts';
import { moment, span } from '../format.ts';
import { t } from '../text.ts';

export function Header({ onSearch, onHelp }: { onSearch(): void; onHelp(): void }) {
  return (
    <header class="header">
      <a class="brand" href={link.home()} aria-label={t('shell.home')}>
        <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><rect width="16" height="16" rx="3" /><path d="M4 5h8M4 8h8M4 11h5" /></svg>
        <span>Quaymaster</span>
      </a>
      <QueueManagers />
      <button type="button" class="search-button" onClick={onSearch} aria-keyshortcuts="/">
        <Icon name="search" />
        <span>{t('shell.search')}</span>
        <kbd>/</kbd>
      </button>
      <div class="header-end">
        <Live />
        <Settings />
        <IconButton icon="help" label={t('keys.title')} onClick={onHelp} />
        <User />
      </div>
    </header>
  );
}

function QueueManagers() {
  const qmgrs = session.value?.qmgrs ?? [];
  const current = qmgrOfRoute.value ?? qmgrs.find(({ isDefault }) => isDefault)?.name ?? qmgrs[0]?.name;
  if (current === undefined) return null;
  // The same page of the other queue manager, unless it is about one object.
  const page = route.value && Object.keys(route.value.parameters).join() === 'qmgr' ? route.value.page : 'now';
  const state = qmgrs.find(({ name }) => name === current)?.state ?? 'unknown';
  const shown = (
    <>
      <span class={`dot is-${state === 'running' ? 'good' : 'error'}`} aria-hidden="true" />
      <span class="qmgr-name">{current}</span>
      {state !== 'running' && <span class="quiet">{state}</span>}
    </>
  );
  if (qmgrs.length < 2) return <p class="qmgr" title={t('shell.qmgr')}>{shown}</p>;
  return (
    <Menu
      class="qmgr is-menu" label={t('shell.switchQmgr', { qmgr: current })} button={<>{shown}<Icon name="open" /></>}
      actions={qmgrs.map(({ name, state }) => ({ name: state === 'running' ? name : `${name} (${state})`, href: addressOf(page in PAGES ? page : 'now', name) }))}
    />
  );
}

function Live() {
  const { value: state } = liveState;
  return (
    <span class={`live is-${state}`} title={t(`live.${state}Help`)}>
      <span class="dot" aria-hidden="true" />
      <span>{t(`live.${state}`)}</span>
    </span>
  );
}

function Settings() {
  return (
    <Popover class="icon-button" edge="end" label={t('settings.title')} button={<Icon name="settings" />}>
      <div class="chooser settings">
        <Choice label={t('settings.theme')} value={theme} options={[['system', t('settings.system')], ['light', t('settings.light')], ['dark', t('settings.dark')]]} />
        <Choice label={t('settings.density')} value={density} options={[['normal', t('settings.normal')], ['compact', t('settings.compact')]]} />
        <Choice label={t('settings.zone')} value={zone} options={[['local', t('settings.local')], ['utc', 'UTC']]} />
        <label class="check">
          <input type="checkbox" checked={singleKeys.value} onChange={(event) => (singleKeys.value = event.currentTarget.checked)} />
          <span>{t('keys.single')}</span>
        </label>
      </div>
    </Popover>
  );
}

function Choice<Type extends string>({ label, value, options }: { label: string; value: { value: Type }; options: readonly (readonly [Type, string])[] }) {
  return (
    <div class="choice" role="group" aria-label={label}>
      <span class="choice-label">{label}</span>
      <div class="segments">
        {options.map(([option, name]) => (
          <button key={option} type="button" aria-pressed={value.value === option} onClick={() => (value.value = option)}>{name}</button>
        ))}
      </div>
    </div>
  );
}

function User() {
  const { value: now } = session;
  if (!now) return null;
  const left = now.ends === null ? null : (Date.parse(now.ends) - Date.now()) / 1000;
  return (
    <Popover class="user" edge="end" label={t('shell.userMenu', { user: now.user, role: role(now.roles) })} button={<><Icon name="user" /><span>{now.user}</span>{' '}<span class="role">{role(now.roles)}</span></>}>
      <div class="chooser">
        <dl class="pairs">
          <dt>{t('shell.user')}</dt><dd>{now.user}</dd>
          <dt>{t('shell.roles')}</dt><dd>{now.roles.join(', ')}</dd>
          <dt>{t('shell.method')}</dt><dd>{now.issuer ? (now.issuer.name ?? now.issuer.url) : now.method}</dd>
          <dt>{t('shell.ends')}</dt><dd>{now.ends === null ? t('shell.endsUnknown') : `${moment(now.ends)} (${t('shell.in', { span: span(left) })})`}</dd>
          <dt>{t('shell.version')}</dt><dd>{now.version}</dd>
        </dl>
        <a class="link" href={document.querySelector<HTMLMetaElement>('meta[name=licences]')?.content} target="_blank" rel="noreferrer">{t('shell.licences')}</a>
        <button type="button" class="button secondary" onClick={() => void signOut().catch((error: unknown) => toast('error', problemIn(error).detail))}>
          <Icon name="out" /><span>{t('shell.signOut')}</span>
        </button>
      </div>
    </Popover>
  );
}

/** The widest role, in a word. */
function role(roles: readonly string[]): string {
  if (roles.includes('MQWebAdmin')) return t('roles.admin');
  if (roles.includes('MQWebAdminRO')) return t('roles.reader');
  return t('roles.user');
}
