// Which rows of a list are ticked: some, which are kept as they were when ticked, or all that match but a few.

import { computed, signal } from '@preact/signals';

export class Selection<Row> {
  /** The ticked rows; where all are ticked, those that are not. */
  private readonly marked = signal<ReadonlyMap<string, Row>>(new Map());
  private readonly isAll = signal(false);

  /** `total`: the rows that match now. */
  constructor(
    private readonly keyOf: (row: Row) => string,
    private readonly total: () => number,
  ) {}

  readonly count = computed(() => (this.isAll.value ? Math.max(0, this.total() - this.marked.value.size) : this.marked.value.size));

  has(row: Row): boolean {
    return this.isAll.value !== this.marked.value.has(this.keyOf(row));
  }

  toggle(row: Row): void {
    this.set([row], !this.has(row));
  }

  set(rows: Iterable<Row>, isTicked: boolean): void {
    const next = new Map(this.marked.peek());
    for (const row of rows) {
      if (isTicked === this.isAll.peek()) next.delete(this.keyOf(row));
      else next.set(this.keyOf(row), row);
    }
    this.marked.value = next;
  }

  all(): void {
    this.marked.value = new Map();
    this.isAll.value = true;
  }

  clear(): void {
    this.marked.value = new Map();
    this.isAll.value = false;
  }

  /** The rows that are ticked, or all that match but for these keys. */
  chosen(): { rows: Row[] } | { rows: undefined; exceptions: string[] } {
    const marked = this.marked.peek();
    return this.isAll.peek() ? { rows: undefined, exceptions: [...marked.keys()] } : { rows: [...marked.values()] };
  }
}
