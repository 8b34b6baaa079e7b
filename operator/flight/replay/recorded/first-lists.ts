import type { KubernetesObject } from '../../../model/object.ts';
import { matcherOf } from '../../../model/selection.ts';
import type { TransportRequest } from '../../../transport/transport.ts';
import type { HeaderLine, RecordedSource } from '../../record-line.ts';
import { asObject, collectionOf, type RecordedObjects } from './recorded-objects.ts';
import { carriedCreations, type RecordedRun } from './recorded-run.ts';
import { isMetadataOnly, metadataOf } from './replayed-watches.ts';
import { collectionIdOf, type RequestTarget } from './request-target.ts';
import { objectsInAnswer } from './seen-answers.ts';

interface CachedList {
  readonly source: RecordedSource;
  resourceVersion: string;
  readonly objects: KubernetesObject[];
}

/**
 * The contents of the caches at the beginning of a record. They are the answers to the first lists in a
 * replay.
 */
export class FirstLists {
  /**
   * Objects that were created by attempts from before the record. They did not exist when those attempts
   * began.
   */
  readonly createdBefore: (readonly [collection: string, object: KubernetesObject])[] = [];
  readonly #lists = new Map<string, CachedList>();

  constructor(run: RecordedRun) {
    const { header, cached } = run;
    const created = carriedCreations(run).flatMap(objectsInAnswer);
    const uids = new Set(created.flatMap(({ object }) => object.metadata.uid ?? []));
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
        if (read === undefined) continue;
        if (!uids.has(read.metadata.uid ?? '')) list.objects.push(read);
        else this.createdBefore.push([collectionOf(source), read]);
      }
    }
  }

  /**
   * The answer to the first list of a collection. It is returned only once, because a second list must
   * contain later objects.
   */
  take(request: TransportRequest, target: RequestTarget): object | undefined {
    const form = isMetadataOnly(request) ? 'metadata' : 'full';
    const id = `${collectionIdOf(target)} ${form}`;
    const list = this.#lists.get(id);
    this.#lists.delete(id);
    return list && listAnswer(list.source, list.objects, list.resourceVersion, form === 'metadata');
  }

  /**
   * Allows each source to be listed once more. This list then has the objects that are known from the record
   * until now.
   */
  renew({ sources }: Pick<HeaderLine, 'sources'>, objects: RecordedObjects): void {
    const { resourceVersion } = objects;
    for (const source of sources) {
      const { labelSelector, fieldSelector, namespaces = [undefined] } = source;
      const match = matcherOf({ namespaces: undefined, labelSelector, fieldSelector });
      for (const scope of namespaces) {
        const all = objects.list(collectionOf(source), scope);
        const selected = all.filter((object) => match(object) === 'selected');
        this.#lists.set(listId(source, scope), { source, resourceVersion, objects: [...selected] });
      }
    }
  }

  /** All objects, each with its collection. */
  *objects(): Generator<readonly [collection: string, object: KubernetesObject]> {
    for (const { source, objects } of this.#lists.values()) {
      for (const object of objects) yield [collectionOf(source), object];
    }
  }
}

/** A list in the format in which an API server would answer. */
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
