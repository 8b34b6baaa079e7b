import type { KubernetesObject } from '../../../model/object.ts';
import type { TransportRequest } from '../../../transport/transport.ts';
import type { RecordedSource } from '../../record-line.ts';
import { asObject, collectionOf } from './recorded-objects.ts';
import type { RecordedRun } from './recorded-run.ts';
import { isMetadataOnly, metadataOf } from './replayed-watches.ts';
import { collectionIdOf, type RequestTarget } from './request-target.ts';

interface CachedList {
  readonly source: RecordedSource;
  resourceVersion: string;
  readonly objects: KubernetesObject[];
}

/** The caches at the beginning of a record, as answers to the first lists of a replay. */
export class FirstLists {
  readonly #lists = new Map<string, CachedList>();

  constructor({ header, cached }: Pick<RecordedRun, 'header' | 'cached'>) {
    const sources = new Map(header.sources.map((source) => [source.id, source]));
    for (const line of cached) {
      const source = sources.get(line.source);
      if (source === undefined) continue;
      const id = listId(source, line.scope);
      const list = this.#lists.get(id) ?? { source, resourceVersion: '', objects: [] };
      this.#lists.set(id, list);
      list.resourceVersion = line.resourceVersion ?? list.resourceVersion;
      for (const object of line.objects) {
        const read = asObject(object);
        if (read !== undefined) list.objects.push(read);
      }
    }
  }

  /** The answer to a list, once: a second list of the collection asks for later objects. */
  take(request: TransportRequest, target: RequestTarget): object | undefined {
    const form = isMetadataOnly(request) ? 'metadata' : 'full';
    const id = `${collectionIdOf(target)} ${form}`;
    const list = this.#lists.get(id);
    this.#lists.delete(id);
    return list && listAnswer(list.source, list.objects, list.resourceVersion, form === 'metadata');
  }

  /** All objects, with the collection of each. */
  *objects(): Generator<readonly [collection: string, object: KubernetesObject]> {
    for (const { source, objects } of this.#lists.values()) {
      for (const object of objects) yield [collectionOf(source), object];
    }
  }
}

/** A list as an API server answers it. */
export function listAnswer(
  { apiVersion, kind }: Pick<RecordedSource, 'apiVersion' | 'kind'>,
  objects: readonly KubernetesObject[],
  resourceVersion: string,
  onlyMetadata = false,
): object {
  const form = onlyMetadata
    ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' }
    : { apiVersion, kind: `${kind}List` };
  const items = onlyMetadata ? objects.map(metadataOf) : objects;
  return { ...form, metadata: { resourceVersion }, items };
}

function listId(source: RecordedSource, scope: string | undefined): string {
  const query = new URLSearchParams();
  if (source.labelSelector !== undefined) query.set('labelSelector', source.labelSelector);
  if (source.fieldSelector !== undefined) query.set('fieldSelector', source.fieldSelector);
  const collection = collectionOf(source);
  const target = { collection, namespace: scope, name: undefined, subresource: undefined, query };
  return `${collectionIdOf(target)} ${source.form === 'metadata' ? 'metadata' : 'full'}`;
}
