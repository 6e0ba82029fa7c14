// Opens the form that puts a message; its script is loaded then.

export async function openPut(qmgr: string, queue: string, from?: string): Promise<boolean> {
  const { proposePut } = await import('./put.tsx');
  return proposePut(qmgr, queue, from);
}
