// A small button that copies a text that stands beside it.

import { IconButton } from '../../parts/button.tsx';
import { copy } from '../../parts/copy.tsx';
import { t } from '../../text.ts';

export function CopyButton({ text, label }: { text: string; label: string }) {
  return <IconButton icon="copy" label={t('shell.copy', { what: label })} onClick={() => void copy(text)} />;
}
