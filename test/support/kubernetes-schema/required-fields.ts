import { Names } from './names.ts';
import type { TypeData } from './type-data.ts';

/** Required by validation (`ValidateEventCreate`), optional in the Go type for the sake of old Events. */
const BY_VALIDATION: readonly string[] = [
  'action',
  'reason',
  'regarding',
  'reportingController',
  'reportingInstance',
  'type',
].map((field) => `io.k8s.api.events.v1.Event.${field}`);

/**
 * `type.field` of everything that a writer has to say: what the API declares as required, and a
 * struct that is not a pointer when something in it is required, since leaving it out leaves that out.
 * So `spec` of a Deployment is required and `spec` of a Service is not. The status of an object is
 * never required.
 */
export function requiredFields(data: TypeData): ReadonlySet<string> {
  const required = new Set(BY_VALIDATION);
  const known = new Map<string, boolean>();

  function hasRequired(name: string): boolean {
    const already = known.get(name);
    if (already !== undefined) return already;
    known.set(name, false); // a type that names itself does so through a pointer or a list
    const fields = Object.entries(data.types[name]?.fields ?? {});
    const found = fields.filter(([field, schema]) => {
      const struct = schema.type.startsWith('#') && schema.pointer !== true;
      const inside = struct && Names.own(schema.type.slice(1)) === undefined;
      return (
        field !== 'status' &&
        !(field === 'metadata' && struct) &&
        (schema.required === true || (inside && hasRequired(schema.type.slice(1))))
      );
    });
    for (const [field] of found) required.add(`${name}.${field}`);
    known.set(name, found.length > 0);
    return found.length > 0;
  }

  for (const name of Object.keys(data.types)) hasRequired(name);
  // A condition's status is no status of an object.
  for (const [name, { fields }] of Object.entries(data.types)) {
    if (fields.status?.required === true && fields.status.type === 'string') {
      required.add(`${name}.status`);
    }
  }
  return required;
}
