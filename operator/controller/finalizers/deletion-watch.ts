import { type KubernetesObject, type ObjectKey, splitKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import { type Source, source } from '../source.ts';

/** A source that is opened during the run and stays open until it is released. */
export interface OpenedSource {
  readonly informer: SharedInformer<KubernetesObject>;
  release(): void;
}

interface DeletionWatchOptions {
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly finalizer: string;
  /** True if the deletion of the object has already begun. */
  readonly isDeleted: boolean;
  readonly open: (source: Source) => OpenedSource;
  /** Called when the deletion of the object begins, and when the object is gone or has lost the finalizer. */
  readonly changed: () => void;
}

/** The watch of one object, which lasts until `end` is called. */
export interface DeletionWatch {
  /** False until the first list of the watch has arrived or failed. */
  readonly isSettled: boolean;
  end(): void;
}

/**
 * Watches one object by its name. It requests only metadata. A controller with any source of this resource
 * has the rights for such a watch.
 */
export function watchDeletion({
  resource,
  key,
  finalizer,
  isDeleted,
  open,
  changed,
}: DeletionWatchOptions): DeletionWatch {
  const { namespace, name } = splitKey(key);
  const { informer, release } = open(
    source(resource, {
      ...(namespace !== undefined && { namespace: { name: namespace } }),
      fieldSelector: `metadata.name=${name}`,
      metadataOnly: true,
      optional: true,
    }),
  );
  let wasDeleted = isDeleted;
  const registration = informer.addHandler((changes) => {
    for (const { key: changedKey, metadata, type } of changes) {
      if (changedKey !== key) continue;
      const begins = metadata.deletionTimestamp !== undefined && !wasDeleted;
      wasDeleted = metadata.deletionTimestamp !== undefined;
      const isFreed = type === 'delete' || metadata.finalizers?.includes(finalizer) !== true;
      if (begins || isFreed) changed();
    }
  });
  const ending = new AbortController();
  informer
    .until(() => informer.synced, ending.signal)
    .then(
      () => {
        // The handlers are not called for an object that the first list does not contain.
        if (informer.cached(key) === undefined) changed();
      },
      () => {}, // the watch has ended
    );
  return {
    get isSettled() {
      return informer.synced || informer.status.error !== undefined;
    },
    end() {
      ending.abort();
      registration.remove();
      release();
    },
  };
}
