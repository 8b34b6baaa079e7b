import type { KubernetesObject } from 'chancery';
import { boundedText, type JsonPatchOperation, visibleText } from 'chancery/internal';

/** Identifies the object of an operation, in documents that do not contain a whole object. */
interface Named {
  readonly kind: string;
  /** The apiVersion. If undefined, the preferred version is used. */
  readonly apiVersion: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The checked content of an operation. */
export type PatchAction =
  | {
      readonly operation: 'Create' | 'CreateIfNotExists' | 'CreateOrUpdate';
      readonly object: KubernetesObject;
    }
  | {
      readonly operation: 'Apply';
      readonly object: KubernetesObject;
      readonly subresource: string | undefined;
      /** Take over fields from other managers. */
      readonly force: boolean;
    }
  | (Named & { readonly operation: 'Delete' | 'DeleteInBackground' | 'DeleteNonCascading' })
  | (Named &
      Subresource & {
        readonly operation: 'JQPatch';
        readonly jqFilter: string;
      })
  | (Named & Subresource & { readonly operation: 'MergePatch'; readonly mergePatch: object })
  | (Named &
      Subresource & {
        readonly operation: 'JSONPatch';
        readonly jsonPatch: readonly JsonPatchOperation[];
      })
  | (Named & { readonly operation: 'Status'; readonly status: object });

interface Subresource {
  /** The subresource without `/`. If undefined, the object itself is changed. */
  readonly subresource: string | undefined;
}

/** One document of a patch file, checked as far as possible without the API server. */
export interface PatchDocument {
  /** Position in the file, counted from 1. */
  readonly number: number;
  readonly action: PatchAction;
  /** A missing object counts as a success. */
  readonly ignoreMissingObject: boolean;
  /** Apply the document even if the hook failed. */
  readonly ignoreHookError: boolean;
  /** The document as JSON. Equal documents have equal JSON. */
  readonly text: string;
}

/** The object of an action. `name` is empty when the API server chooses it. */
export function targetOf(action: PatchAction): Named {
  if (!('object' in action)) return action;
  const { apiVersion, kind, metadata } = action.object;
  return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? '' };
}

/**
 * Maximum length of the title of an operation in messages. It is longer than every kind with a
 * namespace and a name.
 */
const MAX_TITLE_CHARS = 1_024;

/** Describes an operation in messages, such as `MergePatch of ConfigMap farm/north`. */
export function titleOf(action: PatchAction): string {
  const { kind, namespace, name } = targetOf(action);
  const shown = name === '' ? '(generated name)' : name;
  const path = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${shown}`;
  return `${action.operation} of ${visibleText(boundedText(path, MAX_TITLE_CHARS))}`;
}
