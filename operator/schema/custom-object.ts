import type { Condition } from '../model/condition.ts';
import type { KubernetesObject, ObjectMeta } from '../model/object.ts';
import type { Static, TObject, TSchema } from './type.ts';

/** `T` with all members read-only. */
type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]: ReadonlyDeep<T[Field]> }
    : T;

/** Fields that every status has. */
interface StandardStatus {
  /** The conditions that `setStatus` sets, with their times. */
  readonly conditions?: readonly Condition[];
  /** The generation that the status describes. */
  readonly observedGeneration?: number;
}

/** An object of a custom resource. */
export interface CustomObject<
  Spec extends TSchema = TSchema,
  Status extends TObject | undefined = undefined,
> extends KubernetesObject {
  /** The names, versions, labels and owners of the object. */
  readonly metadata: ObjectMeta;
  /** The wanted state, as the schema of `spec` describes it. */
  readonly spec: ReadonlyDeep<Static<Spec>>;
  /**
   * The observed state, as the schema of `status` describes it, with `conditions` and
   * `observedGeneration`.
   */
  readonly status?: Status extends TObject
    ? ReadonlyDeep<Static<Status>> & StandardStatus
    : undefined;
}
