/**
 * The exports that only the packages of this project use, in addition to the public entries:
 * `@chancery/testing`, `@chancery/certificates`, `@chancery/hooks`, `@chancery/metacontroller` and
 * `@chancery/packaging`. Names may change in every release, so each of these packages needs the same version
 * of the toolkit.
 *
 * @module
 */

import './core/one-copy.ts';

export { AccessByScope } from './access/access-by-scope.ts';
export { isOwnAmbassador, OWN_AMBASSADOR_IMAGE } from './access/filter/ambassador-image.ts';
export { type PlacedRule, roleFilter } from './access/filter/role-filter.ts';
export type { AccessRule } from './access/merge-access.ts';
export { type MissingAccessRule, ruleYaml } from './access/missing-access.ts';
export { POD_NAMESPACE } from './access/placement.ts';
export type { RoleRule } from './access/rbac.ts';
export { accessOf } from './access/required-access.ts';
export type { CERTIFICATES } from './cli/certificates/table.ts';
export type { CHECK } from './cli/check/table.ts';
export type { ExitCode, Io } from './cli/command.ts';
export type { GivenTo } from './cli/command-table.ts';
export { withController } from './cli/create/controller-list.ts';
export { kindFiles } from './cli/create/kind-files.ts';
export { type KindNames, kindNames } from './cli/create/names.ts';
export { ownedResources } from './cli/create/owned-resources.ts';
export type { Declaring, Generating } from './cli/declarations/declaring.ts';
export { describeError } from './cli/describe-error.ts';
export { warnOfExposedEnvironment } from './cli/exposed-environment.ts';
export {
  listItems,
  type ManifestDocument,
  manifestItems,
  readManifests,
} from './cli/files/manifest-files.ts';
export { type NewFile, namesIn } from './cli/files/new-files.ts';
export { fillTemplate } from './cli/files/template.ts';
export { parseFlags } from './cli/flags.ts';
export type { GenerateArguments } from './cli/generate/arguments.ts';
export { withTexts } from './cli/generate/folder-files.ts';
export { reportStates, writeGenerated } from './cli/generate/generated-files.ts';
export { sourceFolder } from './cli/generate/operator-program.ts';
export type { Guard, PoliciesOptions, PolicyFiles } from './cli/generate/policies.ts';
export { projectOf } from './cli/generate/project.ts';
export type { GENERATE } from './cli/generate/table.ts';
export { type FileState, strangerStates, treeStates } from './cli/generate/written-files.ts';
export { withHooksDefaults } from './cli/hooks/settings-defaults.ts';
export type { HOOKS } from './cli/hooks/table.ts';
export { packageSpecs } from './cli/init/packages.ts';
export { projectTemplate } from './cli/init/project.ts';
export { LAUNCHER } from './cli/launcher.ts';
export { LineWriter } from './cli/line-writer.ts';
export { isPackageInstalled, loadPackage } from './cli/loading/load-package.ts';
export type {
  ControllerFiles,
  DeclaredControllers,
  DeclaredHooks,
  PackagingPackage,
  TestHookParts,
} from './cli/loading/packages.ts';
export { METACONTROLLER } from './cli/metacontroller/table.ts';
export type { PLUGIN } from './cli/plugin/table.ts';
export { DryRun } from './cli/run/dry-run.ts';
export { requireNoFunction, type TestHookArguments } from './cli/test-hook/arguments.ts';
export type { JsonPatchOperation } from './client/client.ts';
export { isUnknownResource } from './client/discovery.ts';
export { encodeInPieces } from './client/encode-in-pieces.ts';
export { parseRetryAfter } from './client/response-failure.ts';
export { encodeExact } from './client/rest-client.ts';
export { childIdentity } from './composite/child.ts';
export { selectedObjects } from './composite/decorator/decorated-source.ts';
export { engine } from './composite/engine.ts';
export type {
  ChildType,
  ChildUpdate,
  DecoratorEngineOptions,
  PlannedChild,
  Revisions,
  StatusCheck,
  SyncRequest,
} from './composite/engine-options.ts';
export { reasonOf } from './composite/failures.ts';
export { planChildren } from './composite/plan-children.ts';
export { compileRule, type RelatedRule } from './composite/related/compiled-rule.ts';
export { Related } from './composite/related/related-objects.ts';
export { isRolling } from './composite/revisions/claims.ts';
export { createRevisions } from './composite/revisions/create-revisions.ts';
export { metacontrollerFormat } from './composite/revisions/revision-format.ts';
export type {
  AccessDeclaration,
  ChildWrites,
  ParentWrites,
  PlacedPermission,
} from './controller/access-declaration.ts';
export { requireCheckedVerbs } from './controller/checked-verbs.ts';
export { AppliedMemory, digestOf } from './controller/children/applied-memory.ts';
export { applyWriter } from './controller/children/apply-writer.ts';
export type { ChildWrite, ChildWriter } from './controller/children/child-writer.ts';
export { enginePartsOf } from './controller/children/engine-parts.ts';
export { DECORATED_BY, existingChild } from './controller/children/existing-child.ts';
export { memberOf, mergePatchOf, requireDepth } from './controller/children/json-difference.ts';
export { isSameContent, withSystemFieldsOf } from './controller/children/system-fields.ts';
export { controlledWritesOf } from './controller/controlled-writes.ts';
export { isController, leaseNameOf, sourcesOf } from './controller/controller.ts';
export { SourceUnavailableError } from './controller/errors.ts';
export { withStoredNames } from './controller/object-shape/stored-form.ts';
export { isSameResource, preparedSource } from './controller/source.ts';
export { abortable, aborted, linkedAbort, NEVER_ABORTED } from './core/abort.ts';
export { type Backoff, exponentialBackoff } from './core/backoff.ts';
export { BoundedThread, type BrokenThread } from './core/bounded-thread.ts';
export { type Cancel, sleep } from './core/clock.ts';
export type { ErrorContext } from './core/errors.ts';
export { parseGoDuration } from './core/go/go-duration.ts';
export { goJson, goString } from './core/go/go-json.ts';
export { goBoolean, type KnownFlag, readCommandLine } from './core/go/pflag.ts';
export {
  DOCUMENT_LIMITS,
  JSON_LIMITS,
  JsonLimitError,
  type JsonLimits,
  JsonTextError,
} from './core/json/json-limits.ts';
export { parseExact } from './core/json/parse-exact.ts';
export { JsonSyntaxError } from './core/json/parse-in-pieces.ts';
export { type ReadJson, readJsonDocuments, readJsonValue } from './core/json/read-json.ts';
export { compareKeys, sortedJson } from './core/json/sorted-json.ts';
export { isMapping, type Mapping } from './core/mapping.ts';
export { type Labels, type Meter, noMeter } from './core/metrics.ts';
export { OneAtATime } from './core/one-at-a-time.ts';
export { nearMatches } from './core/text/near-match.ts';
export { textFiles } from './core/text/text-files.ts';
export { boundedText, visibleJson, visibleText } from './core/text/visible-text.ts';
export { inSlices, runInSlices, yieldToEventLoop } from './core/time-slice.ts';
export { VERSION } from './core/version.ts';
export { changedYaml, duplicateYamlKeys, yamlWithItem } from './core/yaml.ts';
export { createYamlReader, type YamlReader } from './core/yaml-thread/yaml-reader.ts';
export type { YamlAnswer, YamlRequest } from './core/yaml-thread/yaml-work.ts';
export type {
  ClusterAnswer,
  ClusterChange,
  ReplayCluster,
  ReplayClusterState,
} from './flight/replay/recorded/replay-cluster.ts';
export { replay } from './flight/replay/replay.ts';
export type { Replay } from './flight/replay/replay-options.ts';
export { type IncidentLine, incidentRecord } from './flight/replay/test-text.ts';
export { GATE_CONFIG_FILE, type GatePath, gateConfig } from './generate/gate/gate-config.ts';
export { projectImageFiles } from './generate/image/project-image.ts';
export { podTemplateOf } from './generate/lint/installation.ts';
export { homeOf } from './generate/lint/path-pattern.ts';
export { grantsOf } from './generate/lint/rights-and-paths.ts';
export { ownNamespaces } from './generate/lint/rules/pod-security.ts';
export { REFUSALS } from './generate/lint/rules/rbac.ts';
export { requireShapes } from './generate/lint/shape.ts';
export {
  type AmbassadorSidecar,
  ambassadorSidecar,
} from './generate/manifests/ambassador-sidecar.ts';
export { certificatesOperator } from './generate/manifests/certificates-operator.ts';
export { COMPONENT_NAMES, type ComponentName } from './generate/manifests/component-model.ts';
export { kubectlOf } from './generate/manifests/deployment-template.ts';
export { gateSidecar, gateVolumes } from './generate/manifests/gate-sidecar.ts';
export { objectFileNames } from './generate/manifests/given-objects.ts';
export { documents, header, type ManifestFile } from './generate/manifests/manifest-file.ts';
export type { ManifestsOptions } from './generate/manifests/manifests-options.ts';
export type {
  EnvironmentVariable,
  ModelContainer,
  ModelDeployment,
} from './generate/manifests/model-deployment.ts';
export {
  modelOf,
  type OperatorModel,
  operatorModel,
  type Scope,
  type ScopeModel,
  scopeModel,
} from './generate/manifests/operator-model.ts';
export {
  MERGE_KEYS,
  overlayComponents,
  renderedDeployment,
} from './generate/manifests/rendered-objects.ts';
export { GATE_TLS } from './generate/webhook/certificates.ts';
export {
  type CertificateTargets,
  certificatesAccess,
} from './generate/webhook/certificates-access.ts';
export { OWN_GATE_IMAGE, reasonForTwo } from './generate/webhook/webhooks-options.ts';
export { type ManagerOptions, newManager } from './manager/manager.ts';
export { familyOf } from './manager/metrics/added-registries.ts';
export { claimedNames, claimsOfProcess } from './manager/metrics/claimed-names.ts';
export { formatExposition } from './manager/metrics/exposition.ts';
export type { Metric, MetricSum } from './manager/metrics/metric.ts';
export type { MetricsRegistry } from './manager/metrics/registry.ts';
export { toggleDebugOnSignal } from './manager/observe/log-level.ts';
export { createLogger, type Logger } from './manager/observe/logger.ts';
export type { RunnableContext } from './manager/runnable.ts';
export { findVisibleToken, TOKEN_FOLDERS, tokenVisible } from './manager/safety/visible-token.ts';
export { overridden, settingsFrom } from './manager/settings/settings.ts';
export {
  GENERATION_ANNOTATION,
  groupPrefix,
  memberPrefix,
  SET_LABEL,
} from './manager/sharding/set.ts';
export { builtInHasStatus } from './model/built-in-status.ts';
export { configMaps, customResourceDefinitions } from './model/builtin.ts';
export {
  API_APPROVED,
  type CustomResourceDefinition,
  type DefinedResource,
  type DefinitionVersion,
} from './model/custom-resource-definition.ts';
export {
  DNS_LABEL,
  DNS_SUBDOMAIN,
  isDns1035Label,
  isDnsLabel,
  isDnsSubdomain,
  MAX_DNS_LABEL,
} from './model/dns-name.ts';
export { Entry, type Transform } from './model/entry.ts';
export { type KnownKinds, knownKinds } from './model/known-kinds.ts';
export type { Container, PodSpec, Volume } from './model/kubernetes/core-v1.ts';
export type { PolicyRule, Subject } from './model/kubernetes/rbac-v1.ts';
export { pluralOf } from './model/plural.ts';
export { apiVersionOf, collectionPath, isBuiltInGroup, objectPath } from './model/resource.ts';
export { isLabelKey } from './model/selector.ts';
export type { Status, StatusCause } from './model/status.ts';
export { withoutValues } from './model/status-body.ts';
export { type StatusFields, statusFieldsOf } from './model/status-fields.ts';
export { type StorageVersionMigration, storageMigration } from './model/storage-migration.ts';
export {
  type StructuralSchema,
  type ValidationRule,
  valuesSchema,
} from './model/structural-schema.ts';
export { byAge } from './model/version-age.ts';
export { programEnvironment } from './process/program-environment.ts';
export { ProgramError } from './process/program-error.ts';
export type { ProgramUsage } from './process/program-usage.ts';
export { type RunFolder, RunFolders } from './process/run-files.ts';
export type { ProgramResult } from './process/run-program.ts';
export { type CheckedSchema, fieldStep, stepped } from './schema/checked-schema.ts';
export { madeOf } from './schema/conversion/call-function.ts';
export { shortestWay } from './schema/conversion/version-steps.ts';
export {
  type CheckedDefinition,
  type CheckedVersion,
  checkedDefinition,
  isDefinition,
} from './schema/definition.ts';
export { sampleObject } from './schema/samples/sample-object.ts';
export { Correlation } from './schema/validation/correlation.ts';
export type { FieldError } from './schema/validation/field-errors.ts';
export { newObjectProblems, type ObjectRules } from './schema/validation/object-problems.ts';
export { storedForm } from './schema/validation/stored-form.ts';
export { UNLIMITED } from './schema/work.ts';
export type { InformerHandle } from './store/namespaces-informer.ts';
export type { SharedInformer } from './store/shared-informer.ts';
export type { TransportRequest, TransportResponse } from './transport/transport.ts';
export { type Pool, undiciPool } from './transport/undici-pool.ts';
export { ConversionRefused } from './webhook/answer-conversion.ts';
export { allowPatched, patchOfHook } from './webhook/decision.ts';
export type { AdmissionOperation } from './webhook/review/admission-request.ts';
export { declareWebhook } from './webhook/webhook.ts';
export type { MatchCondition, WebhookSubject } from './webhook/webhook-options.ts';
