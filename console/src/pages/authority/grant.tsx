// Granting and taking away, at the side: one user or group, one profile, and a box for each authority.

import { useSignal } from '@preact/signals';
import { quoted } from '../../api/mqsc.ts';
import { may } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import { Button } from '../../parts/button.tsx';
import { Drawer } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { t, textOf } from '../../text.ts';
import { type AuthorityRecord, changeOf, isObjectType, nameOf, OBJECT_TYPES, type ObjectType, wordsOf } from './words.ts';

interface GrantProps {
  qmgr: string;
  /** A record that is there; its words are those that it grants. Of a new one, what is known. */
  record: AuthorityRecord;
  isNew: boolean;
  onClose(): void;
  changed(): void;
}

/** The record that an address opens. */
export function recordOf(query: URLSearchParams): { record: AuthorityRecord; isNew: boolean } {
  const type = (query.get('objtype') ?? 'QUEUE').toUpperCase();
  return {
    record: {
      profile: query.get('profile') ?? '', type: isObjectType(type) ? type : 'QUEUE', entity: query.get('entity') ?? '', kind: query.get('kind') === 'GROUP' ? 'GROUP' : 'PRINCIPAL',
      words: query.get('has') ?? '',
    },
    isNew: !query.has('has'),
  };
}

export const NO_RECORD = { open: undefined, profile: undefined, objtype: undefined, entity: undefined, kind: undefined, has: undefined };

export function Grant({ qmgr, record, isNew, onClose, changed }: GrantProps) {
  const entity = useSignal(record.entity);
  const kind = useSignal(record.kind);
  const type = useSignal<ObjectType>(record.type);
  const profile = useSignal(record.profile);
  const before = record.words === '' ? [] : record.words.split(', ');
  const after = useSignal<readonly string[]>(before);
  const named = { profile: profile.value, type: type.value, entity: entity.value, kind: kind.value };
  const command = changeOf(named, isNew ? [] : before, after.value, quoted);
  const mayChange = may.value.change;
  const { calls, commands } = wordsOf(type.value);

  async function apply(): Promise<void> {
    if (!command) return;
    const isDone = await propose({ title: t('authority.change', { entity: entity.value }), qmgr, done: t('authority.changed', { entity: entity.value }), steps: [{ mqsc: command }] });
    if (!isDone) return;
    changed();
    onClose();
  }

  async function remove(): Promise<void> {
    const isDone = await propose({
      title: t('authority.removeTicked', { count: 1 }), qmgr, danger: true, apply: t('authority.remove'), done: t('authority.removedTicked', { count: 1 }), children: <p>{t('authority.removeHelp')}</p>,
      steps: [{ mqsc: `DELETE AUTHREC ${nameOf(record, quoted)}` }],
    });
    if (!isDone) return;
    changed();
    onClose();
  }

  return (
    <Drawer
      title={isNew ? t('authority.grant') : t('authority.recordOf', { entity: record.entity })} above={isNew ? qmgr : `${t(`objectType.${record.type}`)} ${record.profile}`} onClose={onClose}
      actions={
        mayChange && (
          <>
            {!isNew && <Button kind="plain" icon="remove" onClick={() => void remove()}>{t('authority.remove')}</Button>}
            <button type="submit" form="grant" class="button primary" disabled={!command}><span>{t('queue.review')}</span></button>
          </>
        )
      }
    >
      <form
        id="grant" class="explain-form"
        onSubmit={(event) => {
          event.preventDefault();
          void apply();
        }}
      >
        {isNew && (
          <div class="fields">
            <Field label={t('column.entity')} value={entity} required maxLength={64} />
            <Select label={t('column.kind')} value={kind} options={[['PRINCIPAL', t('authority.PRINCIPAL')], ['GROUP', t('authority.GROUP')]]} />
            <Select label={t('authority.type')} value={type} options={OBJECT_TYPES.map((one) => [one, t(`objectType.${one}`)])} />
            {type.value !== 'QMGR' && <Field label={t('column.profile')} value={profile} required maxLength={48} hint={t('authority.profileHint')} />}
          </div>
        )}
        {!isNew && /[*?]/.test(record.profile) && <p class="quiet">{t('authority.wide', { profile: record.profile })}</p>}
        <Boxes title={t('authority.callWords')} words={calls} chosen={after.value} isFixed={!mayChange} onChange={(next) => (after.value = next)} />
        <Boxes title={t('authority.commandWords')} words={commands} chosen={after.value} isFixed={!mayChange} onChange={(next) => (after.value = next)} />
      </form>
    </Drawer>
  );
}

interface BoxesProps {
  title: string;
  words: readonly string[];
  chosen: readonly string[];
  isFixed: boolean;
  onChange(chosen: readonly string[]): void;
}

function Boxes({ title, words, chosen, isFixed, onChange }: BoxesProps) {
  if (words.length === 0) return null;
  return (
    <fieldset class="boxes">
      <legend>{title}</legend>
      {words.map((word) => (
        <label key={word} class="check">
          <input
            type="checkbox" checked={chosen.includes(word)} disabled={isFixed}
            onChange={(event) => onChange(event.currentTarget.checked ? [...chosen, word] : chosen.filter((one) => one !== word))}
          />
          <span><b>{word}</b> <span class="quiet">{textOf(`word.${word}`) ?? ''}</span></span>
        </label>
      ))}
    </fieldset>
  );
}
