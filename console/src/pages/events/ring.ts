// Rows that arrive one by one, the last ones kept, with a pause that holds back what arrives meanwhile. Pure.

export class Ring<Row> {
  private kept: Row[] = [];
  private held: Row[] = [];
  private paused = false;

  constructor(
    private readonly most: number,
    private readonly keyOf: (row: Row) => string,
  ) {}

  get rows(): readonly Row[] {
    return this.kept;
  }

  /** Rows that arrived since the pause began. */
  get waiting(): number {
    return this.held.length;
  }

  get isPaused(): boolean {
    return this.paused;
  }

  /** Takes rows; one that is there already is not taken again. */
  add(rows: readonly Row[]): void {
    const known = new Set([...this.kept, ...this.held].map(this.keyOf));
    const fresh = rows.filter((row) => !known.has(this.keyOf(row)));
    if (this.paused) this.held = [...this.held, ...fresh].slice(-this.most);
    else this.kept = [...this.kept, ...fresh].slice(-this.most);
  }

  pause(isPaused: boolean): void {
    this.paused = isPaused;
    if (isPaused) return;
    this.kept = [...this.kept, ...this.held].slice(-this.most);
    this.held = [];
  }

  clear(): void {
    this.kept = [];
    this.held = [];
  }
}
