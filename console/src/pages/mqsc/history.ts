// The commands that were run, kept in this browser and forgotten at will. What holds a secret is never kept.

const STORED = 'quaymaster.mqsc';
const MOST = 200;

export class History {
  private entries = read();
  /** Where Up and Down are; the end is what is being written. */
  private at = this.entries.length;
  private draft = '';

  add(text: string): void {
    this.entries = [...this.entries.filter((entry) => entry !== text), text].slice(-MOST);
    this.rest();
    try {
      localStorage.setItem(STORED, JSON.stringify(this.entries));
    } catch {
      // A browser that stores nothing remembers until the page is closed.
    }
  }

  /** The entry before (-1) or after (1) the one that is shown. `current` is kept as the draft when the way begins. */
  step(by: -1 | 1, current: string): string | undefined {
    if (this.at === this.entries.length) this.draft = current;
    const next = this.at + by;
    if (next < 0 || next > this.entries.length) return undefined;
    this.at = next;
    return this.entries[next] ?? this.draft;
  }

  rest(): void {
    this.at = this.entries.length;
  }

  forget(): void {
    this.entries = [];
    this.rest();
    try {
      localStorage.removeItem(STORED);
    } catch {
      // Nothing was kept.
    }
  }
}

function read(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(kept) ? kept.filter((entry): entry is string => typeof entry === 'string').slice(-MOST) : [];
  } catch {
    return [];
  }
}
