/** What a file of a generic component begins with. */
export const GENERIC_HEADER: string =
  '# Written by `chancery generate manifests`, the same for every operator.\n';

/**
 * Replacements that give objects of a kind the name and the namespace of the Deployment, and its
 * selector: what a component makes belongs to whichever operator it is used for.
 *
 * @param selector - the field that takes the labels which select the operator's Pods.
 */
export function namedAfterDeployment(kind: string, selector: string): string {
  return `replacements: # it is named after the Deployment, lives beside it and selects its Pods
  - source: { kind: Deployment, fieldPath: metadata.name }
    targets:
      - select: { kind: ${kind} }
        fieldPaths: [metadata.name]
  - source: { kind: Deployment, fieldPath: metadata.namespace }
    targets:
      - select: { kind: ${kind} }
        fieldPaths: [metadata.namespace]
  - source: { kind: Deployment, fieldPath: spec.selector.matchLabels }
    targets:
      - select: { kind: ${kind} }
        fieldPaths: [${selector}]
        options: { create: true }
`;
}
