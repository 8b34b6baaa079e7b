import { basename } from 'node:path';
import type { Controller } from '../../controller/controller.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { formatYaml } from '../../core/yaml.ts';
import { proxyArguments, proxyFilter } from '../../generate/filter/proxy-filter.ts';
import { proxyPatch } from '../../generate/filter/proxy-patch.ts';
import { crdDocuments } from '../../generate/manifests/crd-files.ts';
import { documents, header, type ManifestFile } from '../../generate/manifests/manifest-file.ts';
import { operatorManifests } from '../../generate/manifests/operator-manifests.ts';
import { type Placement, POD_NAMESPACE } from '../../generate/placement.ts';
import { rbac } from '../../generate/rbac/rbac.ts';
import type { GenerateArguments } from './arguments.ts';

/**
 * The one text of `rbac`, `crd` and `proxy`.
 *
 * @throws ConfigurationError `CONFIG` for what cannot be generated from these controllers.
 */
export function generatedText(controllers: readonly Controller[], args: GenerateArguments): string {
  switch (args.what) {
    case 'crd':
      return definitions(controllers, args);
    case 'proxy':
      return filter(controllers, args);
    default:
      return roles(controllers, args);
  }
}

/**
 * The tree of `manifests`.
 *
 * @throws ConfigurationError `CONFIG` for what cannot be generated from these controllers.
 */
export function generatedTree(
  controllers: readonly Controller[],
  args: GenerateArguments,
): readonly ManifestFile[] {
  const { installCrds, stopSeconds, components, resources, command } = args;
  const name = nameOf(controllers, args);
  return operatorManifests(controllers, {
    name,
    namespace: args.namespace ?? name,
    modules: modulePaths(args),
    images: { proxy: tagged(args.proxyImage), operator: tagged(args.operatorImage ?? name) },
    leaderElection: isElected(controllers, args),
    installCrds,
    stopSeconds,
    resources,
    command,
    ...(components !== undefined && { components }),
  });
}

function roles(controllers: readonly Controller[], args: GenerateArguments): string {
  const name = nameOf(controllers, args);
  const serviceAccount = { name, namespace: args.namespace ?? name };
  const objects = rbac(controllers, { ...placementOf(controllers, args), name, serviceAccount });
  return documents(header(args.command), objects);
}

function definitions(
  controllers: readonly Controller[],
  { command, modules }: GenerateArguments,
): string {
  const files = crdDocuments(controllers);
  if (files.length === 0) {
    throw new ConfigurationError(
      `no resource in ${modules.join(', ')} brings a definition: customResource({...}) of ` +
        'chancery/schema makes one that does',
    );
  }
  return header(command) + files.map(({ text }) => text).join('---\n');
}

function filter(controllers: readonly Controller[], args: GenerateArguments): string {
  const found = proxyFilter(controllers, placementOf(controllers, args));
  // What is piped into a command line has no comment in it; a file says where it comes from.
  const comment = args.output === undefined ? '' : header(args.command);
  switch (args.format) {
    case 'args':
      return comment + lines(proxyArguments(found));
    case 'paths':
      return comment + lines(found.acceptPaths);
    case 'patch': {
      const patch = { deployment: nameOf(controllers, args), container: 'proxy' };
      return header(args.command) + formatYaml(proxyPatch(found, patch));
    }
  }
}

function placementOf(controllers: readonly Controller[], args: GenerateArguments): Placement {
  const { namespaces, installCrds } = args;
  return {
    namespaces,
    installCrds,
    ...(isElected(controllers, args) && { leaderElection: { namespace: POD_NAMESPACE } }),
  };
}

function isElected(
  controllers: readonly Controller[],
  { leaderElection }: GenerateArguments,
): boolean {
  return leaderElection ?? controllers.some(({ needsLeaderElection }) => needsLeaderElection);
}

function nameOf(controllers: readonly Controller[], { name }: GenerateArguments): string {
  if (name !== undefined) return name;
  const [first, ...others] = controllers;
  if (first !== undefined && others.length === 0) return first.name;
  const names = controllers.map((controller) => controller.name).join(', ');
  throw new ConfigurationError(`several controllers (${names}): name the operator with --name`);
}

function modulePaths({ modules, modulePaths: given }: GenerateArguments): readonly string[] {
  if (given.length > 0) return given;
  const paths = modules.map((module) => `/operators/${basename(module)}`);
  if (new Set(paths).size === paths.length) return paths;
  throw new ConfigurationError(
    `several modules would be ${paths[0]} in the image: say with --module-path where each is`,
  );
}

/** A name without a tag would be another image on another day. */
function tagged(image: string): string {
  return /@|:[^/]*$/.test(image) ? image : `${image}:${VERSION}`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
