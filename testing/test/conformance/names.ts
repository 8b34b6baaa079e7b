import { inComparableOrder } from './comparable.ts';

/**
 * What a server makes up: uids, resourceVersions, continue tokens, generated names. Learnt from its
 * answers, and put into later requests in the place of what the recorded server made up.
 */
export class Names {
  readonly #names = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  /** A recorded path or body as it is sent to this server. */
  translated(text: string): string {
    let translated = text;
    for (const [recorded, own] of this.#names) translated = translated.replaceAll(recorded, own);
    return translated.replace(
      /(resourceVersion(?:=|":"|","value":"))(\d+)/g,
      (_, before: string, version: string) => before + this.#version(version),
    );
  }

  /**
   * A version that no answer showed is that of a change between two answers: the one before stands
   * for it. One before all or after all is made up, and stays.
   */
  #version(recorded: string): string {
    const exact = this.#versions.get(recorded);
    if (exact !== undefined) return exact;
    const known = [...this.#versions.keys()].map(Number);
    if (Number(recorded) > Math.max(...known)) return recorded;
    const before = Math.max(...known.filter((version) => version < Number(recorded)));
    return this.#versions.get(String(before)) ?? recorded;
  }

  /** Pairs what stands at the same place of the recorded and of the own answer. */
  learn(recorded: string, own: string): void {
    this.#learn(parsed(recorded), parsed(own));
  }

  #learn(recorded: unknown, own: unknown): void {
    if (Array.isArray(recorded) && Array.isArray(own)) {
      const ours = inComparableOrder(own);
      for (const [index, item] of inComparableOrder(recorded).entries()) {
        this.#learn(item, ours[index]);
      }
      return;
    }
    if (!isObject(recorded) || !isObject(own)) return;
    const [theirs, ours] = [recorded.metadata, own.metadata];
    if (isObject(theirs) && isObject(ours)) {
      this.#pair(this.#names, theirs.uid, ours.uid);
      this.#pair(this.#names, theirs.continue, ours.continue);
      this.#pair(this.#versions, theirs.resourceVersion, ours.resourceVersion);
      if (theirs.generateName !== undefined) this.#pair(this.#names, theirs.name, ours.name);
    }
    for (const [field, value] of Object.entries(recorded)) this.#learn(value, own[field]);
  }

  #pair(names: Map<string, string>, recorded: unknown, own: unknown): void {
    if (typeof recorded === 'string' && typeof own === 'string' && recorded !== '') {
      names.set(recorded, own);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
