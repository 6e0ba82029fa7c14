// Which charts a queue has, and which a queue manager has.

import { t } from '../text.ts';
import type { ChartWish } from './history.tsx';

export function depthOf(queue: string): ChartWish {
  return { key: 'depth', title: t('column.depth'), unit: 'count', lines: [{ series: `queue/${queue}/depth`, name: t('column.depth'), kind: 'area', colour: 1 }] };
}

export function ratesOf(queue: string): ChartWish {
  return {
    key: 'rates', title: t('chart.rates'), unit: 'rate',
    lines: [
      { series: `queue/${queue}/puts`, name: t('chart.puts'), kind: 'line', colour: 2 },
      { series: `queue/${queue}/gets`, name: t('chart.gets'), kind: 'line', colour: 3 },
    ],
  };
}

export function qmgrCharts(): ChartWish[] {
  return [
    { key: 'puts', title: t('chart.puts'), unit: 'rate', lines: [{ series: 'qmgr/puts', name: t('chart.puts'), kind: 'line', colour: 2 }] },
    { key: 'gets', title: t('chart.gets'), unit: 'rate', lines: [{ series: 'qmgr/gets', name: t('chart.gets'), kind: 'line', colour: 3 }] },
    { key: 'depth', title: t('chart.waiting'), unit: 'count', lines: [{ series: 'qmgr/depth', name: t('chart.waiting'), kind: 'area', colour: 1 }] },
    { key: 'connections', title: t('chart.connections'), unit: 'count', lines: [{ series: 'qmgr/connections', name: t('chart.connections'), kind: 'line', colour: 4 }] },
  ];
}
