import type { Form } from '../../operator/stream/entry-of-bytes.ts';

/** A line, and whether it is no JSON where nobody looks before the object is read: it has `hush` there. */
export interface Line {
  readonly text: string;
  readonly isBrokenInside?: boolean;
}

export interface Options {
  readonly expected?: Form | undefined;
  readonly form?: Form | undefined;
  readonly dropManagedFields?: boolean | undefined;
}

/** What a watch of these lines means: each is parsed by `JSON.parse`, and nothing else is known of it. */
export function meaningOf(
  lines: readonly Line[],
  { expected, form, dropManagedFields }: Options,
): object {
  const events: unknown[] = [];
  const skipped: unknown[] = [];
  const end = (failure?: object): object => ({ events, skipped, failure });
  for (const { text, isBrokenInside = false } of lines) {
    if (text.trim() === '') continue;
    const bad = { code: 'DECODE', lineLength: text.length };
    let event: { type?: string; object?: Record<string, unknown> | null };
    try {
      event = JSON.parse(isBrokenInside ? text.replace('hush', '1') : text);
    } catch {
      return end(bad);
    }
    const { type = '', object } = event;
    if (type === 'ERROR') return end(object?.kind === 'Status' ? { code: 'API_STATUS' } : bad);
    if (!['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'].includes(type) || !object) return end(bad);
    const { apiVersion, kind } = object;
    if (expected && (apiVersion !== expected.apiVersion || kind !== expected.kind)) {
      skipped.push({ apiVersion: `${apiVersion}`, kind: `${kind}` });
      continue;
    }
    const metadata = object.metadata as Record<string, unknown> | null | undefined;
    if (type === 'BOOKMARK') {
      const { resourceVersion } = metadata ?? {};
      events.push({ type, resourceVersion, initialEventsEnd: false });
      continue;
    }
    if (typeof metadata?.name !== 'string' || metadata.name === '') return end(bad);
    const { managedFields: _, ...rest } = metadata;
    const whole = { ...object, ...form, metadata: dropManagedFields ? rest : metadata };
    events.push(isBrokenInside ? { type, unreadable: 'DECODE' } : { type, object: whole });
  }
  return end();
}

/** What `meaningOf` tells of a failure. */
export function failureOf(error: unknown): object | undefined {
  if (error === undefined) return undefined;
  const { code, context } = error as { code: string; context: { lineLength?: number } };
  return code === 'DECODE' ? { code, lineLength: context.lineLength } : { code };
}
