import { DNS_SUBDOMAIN } from '../model/dns-name.ts';
import { ListMap } from './builders.ts';
import { definitionError } from './definition-error.ts';
import { isJson } from './keywords.ts';
import { type TObject, Type } from './type.ts';

/** The limits of `metav1.Condition`. */
const CONDITION: TObject = Type.Object({
  type: Type.String({
    maxLength: 316,
    pattern: `^(${DNS_SUBDOMAIN}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
  }),
  status: Type.Enum(['True', 'False', 'Unknown']),
  observedGeneration: Type.Optional(Type.Integer({ format: 'int64', minimum: 0 })),
  lastTransitionTime: Type.String({ format: 'date-time' }),
  reason: Type.String({
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: Type.String({ maxLength: 32_768 }),
});

/**
 * `status` with the two fields that every status has: `conditions` and `observedGeneration`.
 *
 * @throws ConfigurationError `CONFIG` when it is no object, or declares one of the two itself.
 */
export function statusSchema(status: unknown, path: string): object {
  if (!isJson(status) || status.type !== 'object' || isJson(status.patternProperties)) {
    throw definitionError(path, 'a status is an object with fields', 'write Type.Object({ … })');
  }
  const properties = isJson(status.properties) ? status.properties : {};
  const given = ['conditions', 'observedGeneration'].find((field) => field in properties);
  if (given !== undefined) {
    const remedy = 'leave it out: it is added to every status';
    throw definitionError(`${path}.${given}`, 'is declared twice', remedy);
  }
  return {
    ...status,
    properties: {
      ...properties,
      observedGeneration: Type.Integer({ format: 'int64', minimum: 0 }),
      conditions: ListMap(CONDITION, ['type']),
    },
  };
}
