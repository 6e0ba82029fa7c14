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

export function channelCharts(channel: string): ChartWish[] {
  const series = (figure: string) => `channel/${channel}/${figure}`;
  return [
    { key: 'instances', title: t('column.instances'), unit: 'count', lines: [{ series: series('instances'), name: t('column.instances'), kind: 'area', colour: 1 }, { series: series('conversations'), name: t('column.conversations'), kind: 'line', colour: 4 }] },
    { key: 'messages', title: t('column.calls'), unit: 'rate', lines: [{ series: series('messages'), name: t('column.calls'), kind: 'line', colour: 2 }] },
    { key: 'bytes', title: t('chart.bytes'), unit: 'bytes', lines: [{ series: series('bytesReceived'), name: t('column.bytesIn'), kind: 'line', colour: 3 }, { series: series('bytesSent'), name: t('column.bytesOut'), kind: 'line', colour: 2 }] },
  ];
}
