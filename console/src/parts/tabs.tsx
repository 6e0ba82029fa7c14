// Tabs of an object: links, because each has an address. The open one is `aria-current`.

export interface Tab {
  name: string;
  href: string;
  isOpen: boolean;
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, href, isOpen }) => (
        <a key={href} href={href} aria-current={isOpen ? 'page' : undefined}>{name}</a>
      ))}
    </nav>
  );
}
