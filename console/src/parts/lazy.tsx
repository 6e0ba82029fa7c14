// A part that is loaded when it is shown first: a page, a tab, an editor. Its module's default export is the component.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { laterTexts } from '../text.ts';
import { Failed, Loading } from './states.tsx';

export type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** What was loaded stays, so that going back to it draws at once. */
const loaded = new Map<unknown, ComponentType<never>>();

/** Fetches a part before it is shown. */
export async function preload<Props>(load: Load<Props>): Promise<void> {
  const { default: part } = await withTexts(load);
  loaded.set(load, part as ComponentType<never>);
}

/** Fetches a module that is no component, such as that of a dialog: `withTexts(() => import('./create.tsx'))`. */
export async function withTexts<Module>(load: () => Promise<Module>): Promise<Module> {
  const [module] = await Promise.all([load(), laterTexts()]);
  return module;
}

export function Lazy<Props extends object>({ load, props }: { load: Load<Props>; props: Props }) {
  const [state, setState] = useState<{ of: Load<Props>; error?: unknown }>({ of: load });
  const Part = loaded.get(load) as ComponentType<Props> | undefined;
  useEffect(() => {
    if (loaded.has(load)) {
      // It was fetched between the drawing of this part and this moment.
      if (!Part) setState({ of: load });
      return;
    }
    preload(load).then(
      () => setState({ of: load }),
      (error: unknown) => setState({ of: load, error }),
    );
  }, [load]);
  if (Part) return <Part {...props} />;
  // A server of another version has other files: the page has to be loaded again.
  if (state.of === load && state.error !== undefined) return <Failed error={state.error} again={() => location.reload()} />;
  return <Loading />;
}
