// Icons of 16 by 16 pixels, drawn in lines of the text's colour. An icon repeats what a text or an accessible name says.

const DRAWN = {
  now: 'M2 9h3l2-5 3 8 2-3h2',
  queues: 'M2.5 3.5h11v3h-11zM2.5 9.5h11v3h-11z',
  deadLetters: 'M2.5 4.5h11v8h-11zM2.5 5l5.5 4.5L13.5 5M5 2.5h6',
  channels: 'M2 5.5h12M11 2.5l3 3-3 3M14 10.5H2M5 7.5l-3 3 3 3',
  applications: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  topics: 'M8 2.5v4M3.5 13.5v-3.5h9v3.5M8 6.5v3.5M6.5 2.5h3',
  authority: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z',
  services: 'M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4',
  mqsc: 'M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10.5h2.5',
  events: 'M3 3.5h10M3 6.5h10M3 9.5h7M3 12.5h5',
  server: 'M3 2.5h10v4.5H3zM3 9h10v4.5H3zM5.5 4.8h.5M5.5 11.3h.5',
  jobs: 'M8 2.5a5.5 5.5 0 1 1-5.2 3.7M2.5 2.5v4h4M8 5v3.2l2 1.3',
  connect: 'M6 10l4-4M5 7.5L3.5 9a2.5 2.5 0 0 0 3.5 3.5L8.5 11M11 8.5L12.500 7A2.5 2.5 0 0 0 9 3.5L7.500 5',
  search: 'M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zM10.300 10.300l3.500 3.500',
  help: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM6.200 6.300c0-2.400 3.700-2.400 3.700 0 0 1.500-1.900 1.600-1.900 3M8 11.300v.4',
  light: 'M8 5.200a2.800 2.800 0 1 1 0 5.600 2.800 2.800 0 0 1 0-5.600zM8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1',
  dark: 'M13 9.500A5.500 5.500 0 0 1 6.500 3a5.500 5.500 0 1 0 6.500 6.500z',
  user: 'M8 2.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5zM3 13.500c0-3 2-4.500 5-4.500s5 1.500 5 4.500',
  settings: 'M2.500 4.500h5M10.500 4.500h3M9 3v3M2.500 11.500h3M8.500 11.500h5M7 10v3',
  menu: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11',
  narrow: 'M9.500 4.500L6 8l3.500 3.500M3 3v10',
  wide: 'M6.500 4.500L10 8l-3.500 3.500M13 3v10',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M8 3.500v9M4.500 9L8 12.500 11.500 9',
  up: 'M8 12.500v-9M4.500 7L8 3.500 11.500 7',
  open: 'M4 6l4 4 4-4',
  next: 'M6 4l4 4-4 4',
  more: 'M3.500 8h.6M7.700 8h.6M11.900 8h.6',
  filter: 'M2.500 3.500h11L9.500 8.500v4.500l-3-1.500v-3z',
  columns: 'M2.500 3.500h11v9h-11zM6.200 3.500v9M9.800 3.500v9',
  refresh: 'M13 8a5 5 0 1 1-1.500-3.600M13 2.500V5h-2.500',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  download: 'M8 2.500v8M4.500 7L8 10.500 11.500 7M3 13.500h10',
  upload: 'M8 10.500v-8M4.500 6L8 2.500 11.500 6M3 13.500h10',
  add: 'M8 3v10M3 8h10',
  edit: 'M3 13l.7-3L10.500 3.200l2.300 2.300L6 12.300z',
  remove: 'M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.5 9h6l.5-9M7 7v4M9 7v4',
  error: 'M5.400 2h5.200L14 5.400v5.200L10.600 14H5.400L2 10.600V5.400zM8 5v3.700M8 10.800v.4',
  warning: 'M8 2.500L14.200 13.500H1.800zM8 6.500v3.200M8 11.500v.4',
  note: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 7.200v3.800M8 5v.3',
  good: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5.200 8.200l2 2 3.600-4',
  tick: 'M3 8.500l3.500 3.500L13 4.500',
  mute: 'M3 6.500h2L8.500 3.500v9L5 9.500H3zM11 6.500l3 3M14 6.500l-3 3',
  keys: 'M2 4.500h12v7H2zM4.500 7h.4M7.800 7h.4M11.100 7h.4M5 9.300h6',
  out: 'M6.500 2.500h-4v11h4M6 8h8M11 5l3 3-3 3',
} as const;

export type IconName = keyof typeof DRAWN;

export function Icon({ name, class: extra }: { name: IconName; class?: string }) {
  return (
    <svg class={extra ? `icon ${extra}` : 'icon'} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={DRAWN[name]} />
    </svg>
  );
}
