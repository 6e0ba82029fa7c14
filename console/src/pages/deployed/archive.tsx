// The dialog that takes an archive, chosen or dropped, and deploys it or puts it in the place of another.

import { useSignal } from '@preact/signals';
import { propose } from '../../change/change.ts';
import { bytes } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { t } from '../../text.ts';
import { deploy, type Kind, KINDS, replace, stop } from './kinds.ts';

interface ArchiveProps {
  kind: Kind;
  /** What it takes the place of. */
  name?: string;
  isStarted?: boolean;
  onClose(): void;
  done(): void;
}

export function Archive({ kind, name, isStarted = false, onClose, done }: ArchiveProps) {
  const file = useSignal<File | undefined>(undefined);
  const isOver = useSignal(false);
  const { suffix } = KINDS[kind];

  async function next(): Promise<void> {
    const chosen = file.peek();
    if (!chosen) return;
    onClose();
    const isDone = await propose({
      title: name === undefined ? t('deployed.deployFile', { file: chosen.name }) : t('deployed.replaceNamed', { name }), qmgr: '', apply: t('deployed.deploy'),
      children: <p>{name === undefined ? t('deployed.deployText', { file: chosen.name, size: bytes(chosen.size) }) : t('deployed.replaceText', { name, file: chosen.name })}</p>,
      steps: name === undefined ? [deploy(kind, chosen)] : [...(isStarted ? [stop(kind, name)] : []), replace(kind, name, chosen)],
      done: t('deployed.deployDone', { file: chosen.name }),
    });
    if (isDone) done();
  }

  return (
    <Dialog
      title={name === undefined ? t('deployed.deploy') : t('deployed.replaceNamed', { name })} onClose={onClose}
      actions={<><Button onClick={onClose}>{t('change.cancel')}</Button><Button kind="primary" disabled={!file.value} onClick={() => void next()}>{t('deployed.next')}</Button></>}
    >
      <label
        class={isOver.value ? 'drop is-over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          isOver.value = true;
        }}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault();
          isOver.value = false;
          file.value = event.dataTransfer?.files[0];
        }}
      >
        <span>{file.value ? `${file.value.name} · ${bytes(file.value.size)}` : t('deployed.drop', { suffix })}</span>
        <input type="file" accept={`${suffix},.zip`} onChange={(event) => (file.value = event.currentTarget.files?.[0])} />
      </label>
    </Dialog>
  );
}
