// What stands where something is not there: still loading, nothing to show, or refused.

import type { ComponentChildren } from 'preact';
import { problemIn, Unreachable } from '../api/request.ts';
import { t } from '../text.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

export function Loading({ what }: { what?: string }) {
  return <p class="state" role="status">{what ?? t('shell.loading')}</p>;
}

export function Empty({ title, children, action }: { title: string; children?: ComponentChildren; action?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children && <div class="state-text">{children}</div>}
      {action}
    </div>
  );
}

/** What the server said, what to do, and a way to try again. */
export function Failed({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const problem = problemIn(error);
  return (
    <div class="failed" role="alert">
      <Icon name="error" class="is-error" />
      <div>
        <p class="failed-title">{error instanceof Unreachable ? t('shell.unreachable') : problem.detail}</p>
        {problem.hint && <p class="failed-hint">{problem.hint}</p>}
        {problem.reason && <p class="failed-hint">{t('shell.reason', { code: String(problem.reason.code), name: problem.reason.name ?? '' })}</p>}
      </div>
      {again && <Button kind="plain" icon="refresh" onClick={again}>{t('shell.again')}</Button>}
    </div>
  );
}
