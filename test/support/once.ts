/** What several processes need, and one of them makes. */
import { mkdir, readFile, rename, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What `make` resolves to, or fails with: made by the first of all processes that comes to `folder`. */
export async function once<T>(folder: string, make: () => Promise<T>): Promise<T> {
  await mkdir(join(folder, '..'), { recursive: true });
  const isFirst = await mkdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
  if (isFirst) {
    const outcome = await make().then(
      (value) => ({ value }),
      (error: Error) => ({ error: error.message }),
    );
    await writeFile(join(folder, 'outcome.new'), JSON.stringify(outcome));
    await rename(join(folder, 'outcome.new'), join(folder, OUTCOME));
  }
  const { value, error } = JSON.parse(await appearing(folder));
  if (error !== undefined) throw new Error(error);
  return value as T;
}

const OUTCOME = 'outcome.json';

async function appearing(folder: string): Promise<string> {
  const stop = new AbortController();
  try {
    const changes = watch(folder, { signal: stop.signal });
    const first = changes[Symbol.asyncIterator]();
    for (let next = first.next(); ; next = first.next()) {
      const text = await readFile(join(folder, OUTCOME), 'utf8').catch(() => undefined);
      if (text !== undefined) {
        next.catch(() => {}); // ends with the abort
        return text;
      }
      await next;
    }
  } finally {
    stop.abort();
  }
}
