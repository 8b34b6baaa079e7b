import { defineResource, type KubernetesObject, objectKey, source } from 'chancery';
import type { InformerHandle, RunnableContext } from 'chancery/internal';
import { HookError } from '../hook-error.ts';
import type { KeyReference } from '../spec.ts';
import type { KeyReader } from './key-reader.ts';

/** A Secret or a ConfigMap, which contains keys. */
interface Holder extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

const CORE = { group: '', version: 'v1', namespaced: true } as const;

const RESOURCES = {
  Secret: defineResource<Holder>({ ...CORE, kind: 'Secret', plural: 'secrets' }),
  ConfigMap: defineResource<Holder>({ ...CORE, kind: 'ConfigMap', plural: 'configmaps' }),
};

/**
 * Reads keys from watched caches, one cache per named Secret or ConfigMap. A changed value is used
 * from the next call on, and the operator needs no permission for other objects.
 */
export function watchedKeys({ open }: Pick<RunnableContext, 'open'>): KeyReader {
  const handles = new Map<string, InformerHandle<Holder>>();
  let isClosed = false;
  const handleFor = ({ kind, namespace, name }: KeyReference): InformerHandle<Holder> => {
    const id = `${kind} ${namespace}/${name}`;
    const handle = handles.get(id) ?? open(sourceFor(kind, namespace, name));
    handles.set(id, handle);
    return handle;
  };

  return {
    async read(reference, signal) {
      // A call that is still active must not open a source that is never released.
      if (isClosed) throw missing(reference, 'the controller has ended');
      const { informer } = handleFor(reference);
      const isKnown = (): boolean => informer.synced || isRefused(informer.state);
      await informer.until(isKnown, signal);
      if (!informer.synced) throw missing(reference, 'it may not be listed and watched');
      const entry = informer.cached(objectKey(reference.namespace, reference.name));
      if (entry === undefined) throw missing(reference, 'it does not exist');
      const value = bytesOf(entry.object as Holder, reference);
      if (value === undefined) throw missing(reference, `it has no key ${reference.key}`);
      if (value.length === 0) throw missing(reference, `its key ${reference.key} is empty`);
      return value;
    },

    close() {
      isClosed = true;
      for (const handle of handles.values()) handle.release();
      handles.clear();
    },
  };
}

function sourceFor(kind: KeyReference['kind'], namespace: string, name: string) {
  return source(RESOURCES[kind], {
    namespace: { name: namespace },
    fieldSelector: `metadata.name=${name}`,
    optional: true,
  });
}

function isRefused(state: string): boolean {
  return state === 'forbidden' || state === 'unserved' || state === 'stopped';
}

function bytesOf({ data, binaryData }: Holder, { kind, key }: KeyReference) {
  const text = Object.hasOwn(data ?? {}, key) ? data?.[key] : undefined;
  if (kind === 'ConfigMap' && text !== undefined) return Buffer.from(text);
  const encoded = Object.hasOwn(binaryData ?? {}, key) ? binaryData?.[key] : text;
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}

function missing({ kind, namespace, name }: KeyReference, problem: string): HookError {
  return new HookError(`${kind} ${namespace}/${name} of the hook cannot be used: ${problem}`, {
    reason: 'MissingCredentials',
    context: { kind, namespace, name },
  });
}
