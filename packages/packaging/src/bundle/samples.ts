import type { KubernetesObject } from 'chancery';
import { type CustomResourceDefinition, sampleObject } from 'chancery/internal';

/**
 * One sample for every served version of the definitions. A sample in `given` with the same
 * `apiVersion` and `kind` is used instead. A version has no sample if no object is found that the
 * schema of the version allows.
 */
export function samples(
  definitions: readonly CustomResourceDefinition[],
  given: readonly KubernetesObject[] = [],
): readonly object[] {
  return definitions.flatMap(({ spec: { group, names, versions } }) =>
    versions
      .filter(({ served }) => served)
      .flatMap(({ name: version, schema: { openAPIV3Schema } }): readonly object[] => {
        const type = { apiVersion: `${group}/${version}`, kind: names.kind };
        const own = given.filter(
          ({ apiVersion, kind }) => apiVersion === type.apiVersion && kind === type.kind,
        );
        if (own.length > 0) return own;
        const made = sampleObject({ ...type, name: `${names.singular}-sample` }, openAPIV3Schema);
        return made.problems.length === 0 ? [made.object] : [];
      }),
  );
}
