// The part of a file of texts that the first page does not need. build.mjs makes it.

declare module '*.json?later' {
  const texts: Record<string, Record<string, string | { one: string; other: string }>>;
  export default texts;
}
