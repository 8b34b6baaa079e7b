import type { ObjectKey } from '../model/object.ts';

/** Objects that are mapped side by side, when a mapping looks something up. */
const SIDE_BY_SIDE = 16;

/**
 * Maps items one after the other, and calls `take` with each answer. From the first answer that is a
 * promise on, items of different keys are mapped side by side; those of one key never are, so that their
 * answers come in their order.
 *
 * @returns a promise when one was waited for; it never rejects.
 */
export function mapInOrder<I extends { readonly key: ObjectKey }, R>(
  items: readonly I[],
  map: (item: I) => R | Promise<R>,
  take: (item: I, answer: R) => void,
  failed: (item: I, error: unknown) => void,
): void | Promise<void> {
  for (const [index, item] of items.entries()) {
    const answer = map(item);
    if (!(answer instanceof Promise)) {
      take(item, answer);
      continue;
    }
    const first = { item, answer };
    return sideBySide(first, items.slice(index + 1), map, take, failed);
  }
}

async function sideBySide<I extends { readonly key: ObjectKey }, R>(
  first: { readonly item: I; readonly answer: Promise<R> },
  rest: readonly I[],
  map: (item: I) => R | Promise<R>,
  take: (item: I, answer: R) => void,
  failed: (item: I, error: unknown) => void,
): Promise<void> {
  const byKey = Map.groupBy([first.item, ...rest], ({ key }) => key);
  const lines = byKey.values();
  const work = async (): Promise<void> => {
    for (const line of lines) {
      for (const item of line) {
        try {
          take(item, await (item === first.item ? first.answer : map(item)));
        } catch (error) {
          failed(item, error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, byKey.size) }, work));
}
