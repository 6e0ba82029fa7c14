// A text in a fixed-width face with a button that copies it: commands, identifiers, certificates.

import { t } from '../text.ts';
import { IconButton } from './button.tsx';
import { toast } from './toasts.tsx';

export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code" role="group" aria-label={label}>
      <pre tabIndex={0}>{text}</pre>
      <IconButton icon="copy" label={t('shell.copy', { what: label })} onClick={() => void copy(text)} />
    </div>
  );
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast('good', t('shell.copied'));
  } catch {
    toast('error', t('shell.notCopied'));
  }
}
