import type { KubernetesObject } from 'chancery';
import type { LoggedWrite } from '../scenario/scenario.ts';
import type { Violation } from './violation.ts';

/**
 * No double create: an object with a generated name is not created while the operator's earlier
 * object with the same owner and content still exists. The run in the usual order decides how many
 * may exist at once: three equal Pods of one owner are no fault if that run also has three.
 */
export class Copies {
  readonly #allowed: ReadonlyMap<string, number> | undefined;
  /** The uids of existing objects, by their logical identity. */
  readonly #there = new Map<string, Set<string>>();
  readonly #logicalOf = new Map<string, string>();
  readonly most: Map<string, number> = new Map();

  constructor(allowed: ReadonlyMap<string, number> | undefined) {
    this.#allowed = allowed;
  }

  wrote({ by, verb, object }: LoggedWrite): Violation | undefined {
    const uid = object.metadata.uid ?? '';
    if (verb === 'delete') {
      this.#there.get(this.#logicalOf.get(uid) ?? '')?.delete(uid);
      return undefined;
    }
    if (verb !== 'create' || by !== 'operator') return undefined;
    const logical = logicalChild(object);
    if (logical === undefined) return undefined;
    this.#logicalOf.set(uid, logical);
    const there = this.#there.get(logical) ?? new Set();
    this.#there.set(logical, there.add(uid));
    this.most.set(logical, Math.max(this.most.get(logical) ?? 0, there.size));
    if (this.#allowed === undefined) return undefined;
    const allowed = Math.max(this.#allowed.get(logical) ?? 1, 1);
    if (there.size <= allowed) return undefined;
    const of = ownerOf(object);
    return {
      invariant: 'nothing is created twice',
      message: `the operator created ${there.size} ${object.kind} objects${of === '' ? '' : ` of ${of}`} that are alike, and usually ${allowed}`,
    };
  }
}

/**
 * The logical identity of an object. Undefined for an object with a chosen name, because the API server
 * refuses a second object with this name.
 */
function logicalChild(object: KubernetesObject): string | undefined {
  const { generateName, namespace = '', labels = {} } = object.metadata;
  if (generateName === undefined) return undefined;
  const { metadata: _, status: __, ...content } = object as KubernetesObject & { status?: unknown };
  const tags = Object.entries(labels).sort();
  return JSON.stringify([namespace, generateName, ownerOf(object), tags, content]);
}

function ownerOf({ metadata: { ownerReferences = [] } }: KubernetesObject): string {
  const owner = ownerReferences.find(({ controller }) => controller === true) ?? ownerReferences[0];
  return owner === undefined ? '' : `${owner.kind} ${owner.name}`;
}
