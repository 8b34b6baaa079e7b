import { isMapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { OBJECT_FIELDS, type StructuralSchema } from '../../model/structural-schema.ts';
import { storedForm } from '../validation/stored-form.ts';
import { TooMuchWork, Work } from '../work.ts';
import type { SampleNames } from './sample-object.ts';
import { sampleProblems } from './sample-problems.ts';
import { variedValue } from './sample-value.ts';

/** Maximum number of steps to make the values of one object, and to check it. */
const MAX_STEPS = 1_000_000;

/**
 * An object as the API server could store it, which varies with `random`. It has a spec, a status, and
 * metadata that programs and the API server set. Undefined if the object breaks a rule of the schema. The
 * caller can then try again.
 *
 * @param random - returns numbers from 0 to 1, as `Math.random` does.
 */
export function variedObject(
  { apiVersion, kind, name }: SampleNames,
  schema: StructuralSchema,
  random: () => number,
): KubernetesObject | undefined {
  const { properties = {}, required = [] } = schema;
  const own = Object.entries(properties).filter(([field]) => !OBJECT_FIELDS.has(field));
  const fields: StructuralSchema = {
    ...schema,
    properties: Object.fromEntries(own),
    required: required.filter((field) => !OBJECT_FIELDS.has(field)),
  };
  try {
    const value = variedValue(fields, random, new Work(MAX_STEPS));
    const metadata = variedMetadata(name, random);
    const made = { apiVersion, kind, metadata, ...(isMapping(value) ? value : {}) };
    const work = new Work(MAX_STEPS);
    if (sampleProblems(made, schema, work).length > 0) return undefined;
    return storedForm(made, schema, work) as KubernetesObject;
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

function variedMetadata(name: string, random: () => number): KubernetesObject['metadata'] {
  const some = <T>(value: T): T | undefined => (random() < 0.5 ? value : undefined);
  const optional = {
    labels: some({ 'app.kubernetes.io/name': name }),
    annotations: some({ 'example.com/note': 'a note' }),
    finalizers: some(['example.com/farewell']),
    ownerReferences: some([
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'uid-of-owner' },
    ]),
    managedFields: some([{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': {} } }]),
  };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return {
    ...{ name, namespace: 'team-a', uid: `uid-of-${name}`, resourceVersion: '7', generation: 3 },
    ...{ creationTimestamp: '2030-01-01T00:00:00Z' },
    ...Object.fromEntries(given),
  };
}
