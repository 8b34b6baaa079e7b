import { DELETED_HASH } from '../contract/hash.ts';
import type { Options } from '../contract/options.ts';
import { type ResourceRef, refKey } from '../contract/resource-type.ts';
import { suffixedVariableName, variableName } from '../contract/variable-name.ts';
import { type Baseline, IGNORED } from './baseline.ts';
import type { MarkedVariable, TemplateRecords } from './template.ts';

/** What the records are, beside those of the Pod template. */
export interface RecordsInput {
  readonly baseline: Baseline;
  readonly remembered: Baseline;
  readonly options: Pick<Options, 'strategy'>;
  /** See `PlanInput`. */
  readonly keepsTemplate?: boolean;
}

/** A resource, and the container that a restart marks; undefined: any. */
export type MarkedResource = ResourceRef & { readonly container?: string | undefined };

/** Records of one workload, asked for one resource at a time. */
export class Records {
  readonly #template: TemplateRecords;
  readonly #baseline: Baseline;
  readonly #remembered: Baseline;
  readonly #strategy: Options['strategy'];
  readonly #keepsTemplate: boolean;
  /** Names of the resources that share a variable, by its name. */
  readonly #sharing = new Map<string, string[]>();

  /** @param wanted - sorted by name. */
  constructor(
    template: TemplateRecords,
    wanted: readonly ResourceRef[],
    { baseline, remembered, options, keepsTemplate = false }: RecordsInput,
  ) {
    this.#template = template;
    this.#baseline = { ...remembered, ...baseline };
    this.#remembered = remembered;
    this.#strategy = options.strategy;
    this.#keepsTemplate = keepsTemplate;
    for (const resource of wanted) {
      const variable = variableName(resource);
      this.#sharing.set(variable, [...(this.#sharing.get(variable) ?? []), resource.name]);
    }
  }

  entryOf(resource: ResourceRef): string | undefined {
    const key = refKey(resource);
    const entry = Object.hasOwn(this.#baseline, key) ? this.#baseline[key] : undefined;
    return entry === IGNORED ? undefined : entry;
  }

  /** The baseline has this hash for the resource, or had it. */
  isRecorded(resource: ResourceRef, hash: string): boolean {
    return this.entryOf(resource) === hash || this.#remembered[refKey(resource)] === hash;
  }

  /** The template has this hash for the resource, and no newer record is known. */
  shows(resource: MarkedResource, hash: string): boolean {
    if (this.#keepsTemplate && this.entryOf(resource) !== undefined) return false;
    if (this.showsByVariable(resource, hash)) return true;
    if (this.#last(resource)?.hash !== hash) return false;
    // The original leaves the record of its other strategy as it is: that of the strategy of now is newer.
    return this.#strategy === 'annotations' || this.ownVariables(resource).length === 0;
  }

  showsByVariable(resource: MarkedResource, hash: string): boolean {
    const plain = this.#plain(resource);
    const has = (marked: readonly MarkedVariable[], text: string): boolean =>
      marked.some(({ value }) => value === text);
    const entry = this.entryOf(resource);
    // The original writes plain variables alone: then the suffixed one is what was before.
    const isSuffixOld = entry !== undefined && entry !== hash && has(plain, entry);
    if (!isSuffixOld && has(this.#marked(suffixedVariableName(resource)), hash)) return true;
    return has(plain, hash) && !this.#belongsToOther(resource, hash);
  }

  /** A variable in the container to mark is newer than one that another container has from before. */
  #plain(resource: MarkedResource): readonly MarkedVariable[] {
    const all = this.#marked(variableName(resource));
    const chosen = all.filter(({ container }) => container === resource.container);
    return chosen.length > 0 ? chosen : all;
  }

  showsDeletion(resource: ResourceRef): boolean {
    return this.#last(resource)?.hash === DELETED_HASH;
  }

  /** Another resource of the same variable has recorded its value, so that it says nothing about this one. */
  #belongsToOther(resource: ResourceRef, value: string): boolean {
    const entry = this.entryOf(resource);
    if (entry === undefined || entry === value) return false;
    const { type } = resource;
    const others = this.#sharing.get(variableName(resource)) ?? [];
    return others.some((name) => name !== resource.name && this.entryOf({ type, name }) === value);
  }

  /** The template names the resource, if only with an old hash. */
  knows(resource: ResourceRef): boolean {
    return this.ownVariables(resource).length > 0 || this.isLast(resource);
  }

  /** A variable whose name two resources share belongs to the one whose old hash it has. */
  ownVariables(resource: ResourceRef): readonly (MarkedVariable & { readonly name: string })[] {
    const plain = variableName(resource);
    const suffixed = suffixedVariableName(resource);
    const entry = this.entryOf(resource);
    const isOwn = ({ value }: MarkedVariable): boolean =>
      !this.isShared(resource) || (entry !== '' && value === entry);
    return [
      ...this.#marked(plain)
        .filter(isOwn)
        .map((each) => ({ ...each, name: plain })),
      ...this.#marked(suffixed).map((each) => ({ ...each, name: suffixed })),
    ];
  }

  /** The variable that a change is written to. A name in use stays in use, so that nothing moves. */
  variableFor(resource: ResourceRef): string {
    const plain = variableName(resource);
    const [own] = this.ownVariables(resource);
    if (own !== undefined) return own.name;
    if (!this.isShared(resource)) return plain;
    const isFree =
      this.#marked(plain).length === 0 && this.#sharing.get(plain)?.[0] === resource.name;
    return isFree ? plain : suffixedVariableName(resource);
  }

  isShared(resource: ResourceRef): boolean {
    return (this.#sharing.get(variableName(resource))?.length ?? 0) > 1;
  }

  /** The annotation of the template names the resource. */
  isLast(resource: ResourceRef): boolean {
    return this.#last(resource) !== undefined;
  }

  #last({ type, name }: ResourceRef): TemplateRecords['last'] {
    const { last } = this.#template;
    return last?.type === type && last.name === name ? last : undefined;
  }

  #marked(variable: string): readonly MarkedVariable[] {
    return this.#template.variables.get(variable) ?? [];
  }
}
