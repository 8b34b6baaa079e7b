// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code
/** Faults of the engine and of the command. Each of them changes behaviour, and a test must find it. */

export interface Mutation {
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
  /** What no longer works. */
  readonly breaks: string;
}

/**
 * Places were drawn by a seed among comparisons, conditions and returned values, more of them where a folder has more
 * lines; which of them change behaviour, and what breaks, was decided by reading.
 */
export const MUTATIONS: readonly Mutation[] = [
  {
    file: 'operator/access/excess-rules.ts',
    text: '...(Array.isArray(name) && { resourceNames: name }),',
    replacement: '...(Array.isArray(name) || { resourceNames: name }),',
    breaks: 'A right to named objects is told as a right to all.',
  },
  {
    file: 'operator/access/filter/proxy-filter.ts',
    text: "const object = objects.length === 0 ? '' : objectPattern(paths, objects);",
    replacement: "const object = objects.length !== 0 ? '' : objectPattern(paths, objects);",
    breaks: 'The filter of the ambassador lets no path to an object through.',
  },
  {
    file: 'operator/access/required-access.ts',
    text: "return [namespace === 'all' ? undefined : namespace.name];",
    replacement: "return [namespace !== 'all' ? undefined : namespace.name];",
    breaks: 'A declaration for one namespace asks for rights in all namespaces.',
  },
  {
    file: 'operator/cli/ancestors/ancestor-watch.ts',
    text: 'if (!isMarked && !includesParent) return undefined;',
    replacement: 'if (!isMarked || !includesParent) return undefined;',
    breaks: 'Without a table of processes the command does not notice the end of its parent.',
  },
  {
    file: 'operator/cli/check/check.ts',
    text: "if (namespaces.trim() === '') throw new ConfigurationError('--namespaces must name one, or \"*\"');",
    replacement:
      "if (namespaces.trim() !== '') throw new ConfigurationError('--namespaces must name one, or \"*\"');",
    breaks: '`check --namespaces` refuses every name.',
  },
  {
    file: 'operator/cli/check/check.ts',
    text: '...(options.excess && access !== undefined ? excessLines(access.excess) : []),',
    replacement: '...(options.excess && access === undefined ? excessLines(access.excess) : []),',
    breaks: '`check` does not tell which rights are too many.',
  },
  {
    file: 'operator/cli/dev/session.ts',
    text: 'if (before === text) return;',
    replacement: 'if (before !== text) return;',
    breaks: '`dev` ignores a change of the declared rights.',
  },
  {
    file: 'operator/cli/generate/generate.ts',
    text: "const comment = args.output === undefined ? '' : header(args.command);",
    replacement: "const comment = args.output !== undefined ? '' : header(args.command);",
    breaks: 'A generated file has no header, and standard output has one.',
  },
  {
    file: 'operator/cli/generate/written-files.ts',
    text: 'return BEGINNINGS.some(([, start]) => start.test(text));',
    replacement: 'return BEGINNINGS.every(([, start]) => start.test(text));',
    breaks: 'A generated file is not recognised as generated, and is not replaced.',
  },
  {
    file: 'operator/cli/init/existing/collected-kinds.ts',
    text: "if (typeof kind === 'string') messages.leftOut.push(kind);",
    replacement: "if (typeof kind !== 'string') messages.leftOut.push(kind);",
    breaks: '`init` leaves out the kinds that it should add.',
  },
  {
    file: 'operator/cli/init/existing/existing-names.ts',
    text: 'if (wanted.some((name) => files.has(name)) || constants.has(controller)) continue;',
    replacement:
      'if (wanted.some((name) => files.has(name)) && constants.has(controller)) continue;',
    breaks: '`init` uses a name that the project has already.',
  },
  {
    file: 'operator/cli/load-modules.ts',
    text: 'if ((all[name] ?? argument).type !== argument.type) {',
    replacement: 'if ((all[name] ?? argument).type === argument.type) {',
    breaks: 'Two modules that declare one argument alike are refused.',
  },
  {
    file: 'operator/cli/load-remedy.ts',
    text: 'const instead = name === undefined ? undefined : INSTEAD[name];',
    replacement: 'const instead = name !== undefined ? undefined : INSTEAD[name];',
    breaks: 'An ES module that calls require is told no remedy.',
  },
  {
    file: 'operator/cli/module-help.ts',
    text: "if (argument.type === 'boolean') return `--${name}`;",
    replacement: "if (argument.type !== 'boolean') return `--${name}`;",
    breaks: '`run MODULE --help` shows a flag as an option with a value.',
  },
  {
    file: 'operator/cli/run/dry-run-report.ts',
    text: 'if (created && metadata.generateName) kept.name = `${metadata.generateName}*`;',
    replacement: 'if (created || metadata.generateName) kept.name = `${metadata.generateName}*`;',
    breaks: '`run --dry-run` shows a generated name for objects that have a name.',
  },
  {
    file: 'operator/cli/run/dry-run-report.ts',
    text: 'if (metadata.annotations !== undefined) {',
    replacement: 'if (metadata.annotations === undefined) {',
    breaks: '`run --dry-run` does not hide what annotations quote.',
  },
  {
    file: 'operator/cli/run/dry-run.ts',
    text: "this.#report = new DryRunReport({ out, colour: isTerminal && (env.NO_COLOR ?? '') === '' });",
    replacement:
      "this.#report = new DryRunReport({ out, colour: isTerminal && (env.NO_COLOR ?? '') !== '' });",
    breaks: 'NO_COLOR is read the wrong way round.',
  },
  {
    file: 'operator/cli/run/run.ts',
    text: 'if (!isCheck && !insecureAllowToken) await requireNoToken(tokenFolders);',
    replacement: 'if (!isCheck || !insecureAllowToken) await requireNoToken(tokenFolders);',
    breaks: "`run --check` refuses a Pod's token, and `--insecure-allow-token` is ignored.",
  },
  {
    file: 'operator/client/answer.ts',
    text: ".filter((text) => text !== '');",
    replacement: ".filter((text) => text === '');",
    breaks: 'A Status is told without its reasons.',
  },
  {
    file: 'operator/client/call.ts',
    text: "return call.verb === 'get' || call.verb === 'find' || call.verb === 'list';",
    replacement: "return call.verb !== 'get' || call.verb === 'find' || call.verb === 'list';",
    breaks: 'A call that writes counts as one that reads.',
  },
  {
    file: 'operator/client/discovery.ts',
    text: 'if (found.length > 1) throw ambiguous(text, found);',
    replacement: 'if (found.length >= 1) throw ambiguous(text, found);',
    breaks: 'A short name that one resource has is called ambiguous.',
  },
  {
    file: 'operator/client/interceptors/retry-outcome.ts',
    text: "if (op === 'remove') return valueAt(live, path) === undefined;",
    replacement: "if (op !== 'remove') return valueAt(live, path) === undefined;",
    breaks: 'A JSON patch that was carried out is taken for lost.',
  },
  {
    file: 'operator/client/response-failure.ts',
    text: "return line.replace(/\\p{Cc}/gu, ' ').slice(0, QUOTED_CHARS) || 'empty answer';",
    replacement: "return line.replace(/\\p{Cc}/gu, ' ').slice(0, QUOTED_CHARS) && 'empty answer';",
    breaks: 'A failure never quotes what the sender has answered.',
  },
  {
    file: 'operator/client/rest-request.ts',
    text: 'return query.size === 0 ? path : `${path}?${query}`;',
    replacement: 'return query.size !== 0 ? path : `${path}?${query}`;',
    breaks: 'The options of a request are not sent.',
  },
  {
    file: 'operator/client/retry-on-conflict.ts',
    text: '...(dryRun !== undefined && { dryRun }),',
    replacement: '...(dryRun === undefined && { dryRun }),',
    breaks: 'A repeated dry run writes.',
  },
  {
    file: 'operator/client/source.ts',
    text: 'return other?.key === key && other.uid === uid && other.resourceVersion === resourceVersion;',
    replacement:
      'return other?.key !== key && other.uid === uid && other.resourceVersion === resourceVersion;',
    breaks: 'An unchanged object is taken for a changed one.',
  },
  {
    file: 'operator/composite/apply-children.ts',
    text: 'if (failures.length > 0) throw failures[0];',
    replacement: 'if (failures.length >= 0) throw failures[0];',
    breaks: 'A composite whose children are all applied fails.',
  },
  {
    file: 'operator/composite/apply-children.ts',
    text: 'if (!isNotFound(error) && !isUidMismatch(error)) throw error;',
    replacement: 'if (!isNotFound(error) || !isUidMismatch(error)) throw error;',
    breaks: 'A child that is gone already cannot be deleted.',
  },
  {
    file: 'operator/composite/parent-status.ts',
    text: 'if (condition === undefined) {',
    replacement: 'if (condition !== undefined) {',
    breaks: 'A condition of a parent is lost.',
  },
  {
    file: 'operator/composite/plan-children.ts',
    text: 'if (outside !== undefined) {',
    replacement: 'if (outside === undefined) {',
    breaks: 'A child whose labels are outside the selector is not refused, and any other is.',
  },
  {
    file: 'operator/composite/related/compiled-rule.ts',
    text: 'if (hasNames(rule) && isGiven(namespaceSelector)) {',
    replacement: 'if (hasNames(rule) || isGiven(namespaceSelector)) {',
    breaks: 'A related rule that has names is refused.',
  },
  {
    file: 'operator/composite/related/related-objects.ts',
    text: ": answer.some((rule) => typeof rule?.resource?.plural !== 'string')",
    replacement: ": answer.some((rule) => typeof rule?.resource?.plural === 'string')",
    breaks: 'A related rule that names its resource is refused.',
  },
  {
    file: 'operator/composite/revisions/revision-store.ts',
    text: '.filter((object) => controllerOf(object)?.uid === parent.metadata.uid);',
    replacement: '.filter((object) => controllerOf(object)?.uid !== parent.metadata.uid);',
    breaks: 'A parent takes the revisions of others for its own.',
  },
  {
    file: 'operator/composite/revisions/status-checks.ts',
    text: "typeof each === 'object' && each !== null && 'type' in each && each.type === check.type,",
    replacement:
      "typeof each !== 'object' && each !== null && 'type' in each && each.type === check.type,",
    breaks: 'No child counts as ready.',
  },
  {
    file: 'operator/composite/uncontrolled.ts',
    text: 'return namespace === undefined ? [anywhere] : [anywhere, indexValue(namespace, label, value)];',
    replacement:
      'return namespace !== undefined ? [anywhere] : [anywhere, indexValue(namespace, label, value)];',
    breaks: 'An object is not found by its labels within its namespace.',
  },
  {
    file: 'operator/controller/children/applied-memory.ts',
    text: 'if (!Array.isArray(part) || part.length !== said.length) return false;',
    replacement: 'if (!Array.isArray(part) || part.length === said.length) return false;',
    breaks: 'A list that is as it was applied is written again.',
  },
  {
    file: 'operator/controller/children/applied-memory.ts',
    text: "return typeof value === 'object' && value !== null && !Array.isArray(value);",
    replacement: "return typeof value !== 'object' && value !== null && !Array.isArray(value);",
    breaks: 'An object that is as it was applied is written again.',
  },
  {
    file: 'operator/controller/children/dynamic-apply-writer.ts',
    text: 'if (controller === undefined || owners.some(isController)) return object;',
    replacement: 'if (controller !== undefined || owners.some(isController)) return object;',
    breaks: 'A child gets no owner reference.',
  },
  {
    file: 'operator/controller/children/server-side-apply-writer.ts',
    text: 'if (live === undefined) return;',
    replacement: 'if (live !== undefined) return;',
    breaks: 'What a former manager of a child owned is not taken over.',
  },
  {
    file: 'operator/controller/children/write-status.ts',
    text: '...(namespace !== undefined && { namespace }),',
    replacement: '...(namespace === undefined && { namespace }),',
    breaks: 'The status of an object is written without its namespace.',
  },
  {
    file: 'operator/controller/events/api-event-recorder.ts',
    text: 'if (!series.isDue || this.#sender.add(series)) return;',
    replacement: 'if (!series.isDue && this.#sender.add(series)) return;',
    breaks: 'An Event that is sent counts as dropped.',
  },
  {
    file: 'operator/controller/events/event-object.ts',
    text: '...(uid !== undefined && { uid }),',
    replacement: '...(uid === undefined && { uid }),',
    breaks: 'An Event does not have the uid of its object.',
  },
  {
    file: 'operator/controller/events/sender.ts',
    text: 'if (this.#sending !== undefined) await abortable(this.#sending, this.#stop.signal);',
    replacement:
      'if (this.#sending === undefined) await abortable(this.#sending, this.#stop.signal);',
    breaks: 'A stop does not wait for the Events that are being sent.',
  },
  {
    file: 'operator/controller/finalizers/finalizing.ts',
    text: 'if (stored === undefined) return AWAIT_CHANGE; // the watch will deliver the reason',
    replacement:
      'if (stored !== undefined) return AWAIT_CHANGE; // the watch will deliver the reason',
    breaks: 'A reconcile stops after the finalizer was stored.',
  },
  {
    file: 'operator/controller/finalizers/sweep.ts',
    text: 'if (finalizer === undefined || !hasSelector) return;',
    replacement: 'if (finalizer !== undefined || !hasSelector) return;',
    breaks: 'Objects that left the selector keep their finalizer.',
  },
  {
    file: 'operator/controller/policies/requeue-brake.ts',
    text: "if (kind !== 'success' && kind !== 'terminal') return;",
    replacement: "if (kind === 'success' && kind !== 'terminal') return;",
    breaks: 'A reconcile that asks to run again at once is not braked.',
  },
  {
    file: 'operator/controller/run/reconcile-loop.ts',
    text: 'if (isFirst) metrics.timedOut();',
    replacement: 'if (!isFirst) metrics.timedOut();',
    breaks: 'A reconcile that times out is not counted.',
  },
  {
    file: 'operator/controller/run/runner.ts',
    text: 'this.#queue = new WorkQueue({ ...queue, clock, ...(meter && { metrics: { meter, name } }) });',
    replacement:
      'this.#queue = new WorkQueue({ ...queue, clock, ...(meter || { metrics: { meter, name } }) });',
    breaks: 'A queue has no metrics.',
  },
  {
    file: 'operator/controller/run/subscribe.ts',
    text: 'if (signal.aborted) return;',
    replacement: 'if (!signal.aborted) return;',
    breaks: 'A mapping that fails is not logged.',
  },
  {
    file: 'operator/core/json/parse-in-pieces.ts',
    text: 'if (isFull) this.#parse(at);',
    replacement: 'if (!isFull) this.#parse(at);',
    breaks: 'JSON is parsed at every comma, and not when a piece is full.',
  },
  {
    file: 'operator/core/json/parse-in-pieces.ts',
    text: "while (text[before - 1] === '\\\\') before -= 1;",
    replacement: "while (text[before - 1] !== '\\\\') before -= 1;",
    breaks: 'The end of a string is not found.',
  },
  {
    file: 'operator/core/json/scan-json.ts',
    text: 'if (this.#parts.length === this.#limits.documents) {',
    replacement: 'if (this.#parts.length !== this.#limits.documents) {',
    breaks: 'The first document is beyond the limit of documents.',
  },
  {
    file: 'operator/generate/lint/cache-memory.ts',
    text: 'const limitBytes = isNodesChoice ? Math.max(resident, heapBytes / HEAP_SHARE) : resident;',
    replacement:
      'const limitBytes = isNodesChoice ? Math.min(resident, heapBytes / HEAP_SHARE) : resident;',
    breaks: 'The memory of an operator is estimated too low.',
  },
  {
    file: 'operator/generate/lint/rights-and-paths.ts',
    text: 'return names === undefined || names.includes(name);',
    replacement: 'return names !== undefined || names.includes(name);',
    breaks: 'A right to one name counts for all names.',
  },
  {
    file: 'operator/generate/lint/rules/companion-objects.ts',
    text: 'if (!isStuck) return [];',
    replacement: 'if (isStuck) return [];',
    breaks: 'A disruption budget that blocks a drain is not found.',
  },
  {
    file: 'operator/generate/lint/rules/probes.ts',
    text: "String(target?.port ?? '') === port ||",
    replacement: "String(target?.port ?? '') !== port ||",
    breaks: 'A probe is judged by every port but the one that matters.',
  },
  {
    file: 'operator/generate/lint/rules/users.ts',
    text: 'IDS.filter((field) => !(Number(idOf(placed, field, installation)) > 0)).map((field) => ({',
    replacement:
      'IDS.filter((field) => !(Number(idOf(placed, field, installation)) >= 0)).map((field) => ({',
    breaks: 'A container that runs as user 0 is not found.',
  },
  {
    file: 'operator/generate/manifests/operator-manifests.ts',
    text: 'if (objects.length === 0) return [];',
    replacement: 'if (objects.length !== 0) return [];',
    breaks: 'The objects that go with an operator are not written.',
  },
  {
    file: 'operator/generate/manifests/operator-model.ts',
    text: 'const isShared = program?.sharesDefinitions === true;',
    replacement: 'const isShared = program?.sharesDefinitions !== true;',
    breaks: 'Definitions that programs share are generated for each.',
  },
  {
    file: 'operator/manager/crds/definition-verdict.ts',
    text: 'if (ahead < 0 || (ahead === 0 && superseded.includes(digest))) {',
    replacement: 'if (ahead < 0 || (ahead !== 0 && superseded.includes(digest))) {',
    breaks: 'A definition that was superseded is installed again.',
  },
  {
    file: 'operator/manager/leader/campaign.ts',
    text: "const standsBy = onLost === 'standby' && !stop.aborted;",
    replacement: "const standsBy = onLost !== 'standby' && !stop.aborted;",
    breaks: 'A process that has lost its leadership ends although it should stand by.',
  },
  {
    file: 'operator/manager/leader/lease-term.ts',
    text: "if (state.phase === 'none') return Number.POSITIVE_INFINITY;",
    replacement: "if (state.phase !== 'none') return Number.POSITIVE_INFINITY;",
    breaks: 'A process that needs no Lease has a deadline for its Events, and a leader has none.',
  },
  {
    file: 'operator/manager/leader/lease-term.ts',
    text: "if (state.phase === 'held') return state.bounds.cutOffAt;",
    replacement: "if (state.phase !== 'held') return state.bounds.cutOffAt;",
    breaks: 'The Events of a leader have no deadline at the end of its term.',
  },
  {
    file: 'operator/manager/leader/renew.ts',
    text: 'if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;',
    replacement:
      'if (!isConflict(error) || !isAlreadyExists(error) && !isNotFound(error)) throw error;',
    breaks: 'A Lease that another process took in between ends the election.',
  },
  {
    file: 'operator/manager/manager-parts.ts',
    text: 'if (!settings.installCrds) return undefined;',
    replacement: 'if (settings.installCrds) return undefined;',
    breaks: 'Definitions are installed without being asked for, and not when asked for.',
  },
  {
    file: 'operator/manager/metrics/prometheus-meter.ts',
    text: "if (type === 'counter') this.metric = new Counter(options);",
    replacement: "if (type !== 'counter') this.metric = new Counter(options);",
    breaks: 'A counter is exported as another type.',
  },
  {
    file: 'operator/manager/observe/logger.ts',
    text: "return format === 'pretty' || (format === 'auto' && isTerminal(destination));",
    replacement: "return format !== 'pretty' || (format === 'auto' && isTerminal(destination));",
    breaks: 'The format of logs does not follow its setting.',
  },
  {
    file: 'operator/manager/observe/logger.ts',
    text: '...(cause !== undefined && { cause: isBug ? describe(cause) : boundedText(messageOf(cause)) }),',
    replacement:
      '...(cause === undefined && { cause: isBug ? describe(cause) : boundedText(messageOf(cause)) }),',
    breaks: 'A failure is logged without its cause.',
  },
  {
    file: 'operator/manager/observe/pretty-log.ts',
    text: 'return failures > 1 && before === error;',
    replacement: 'return failures > 1 && before !== error;',
    breaks: 'A failure that comes again is shown in full each time.',
  },
  {
    file: 'operator/manager/observe/stack-frames.ts',
    text: 'if (debugs) return [...own, ...others];',
    replacement: 'if (!debugs) return [...own, ...others];',
    breaks: 'A stack shows what it should leave out, and leaves out what it should show.',
  },
  {
    file: 'operator/manager/operator-process.ts',
    text: 'if (connection.isListening !== undefined) {',
    replacement: 'if (connection.isListening === undefined) {',
    breaks: 'An operator does not wait for its ambassador.',
  },
  {
    file: 'operator/manager/safety/access-check.ts',
    text: '...(name !== undefined && { name }),',
    replacement: '...(name === undefined && { name }),',
    breaks: 'A right to one object is asked for as a right to all.',
  },
  {
    file: 'operator/manager/settings/settings.ts',
    text: "(namespaces.length === 1 || name !== 'POD_NAMESPACE')",
    replacement: "(namespaces.length !== 1 || name !== 'POD_NAMESPACE')",
    breaks: 'The namespace of the Pod is not taken for the one to watch.',
  },
  {
    file: 'operator/manager/sources/informers.ts',
    text: 'if (needs > 0 && !isLetGo) yield { informer, facts };',
    replacement: 'if (needs >= 0 && !isLetGo) yield { informer, facts };',
    breaks: 'A cache that nobody needs keeps the operator unready.',
  },
  {
    file: 'operator/model/kstatus.ts',
    text: "return conditions?.find((one) => one.type === type && one.status === 'True');",
    replacement: "return conditions?.find((one) => one.type !== type && one.status === 'True');",
    breaks: 'A condition of another type decides whether an object is ready.',
  },
  {
    file: 'operator/model/kstatus.ts',
    text: "partition === 0 && currentRevision !== updateRevision && 'a revision is being rolled out',",
    replacement:
      "partition !== 0 && currentRevision !== updateRevision && 'a revision is being rolled out',",
    breaks: 'A StatefulSet whose Pods are replaced counts as ready.',
  },
  {
    file: 'operator/model/owner-reference.ts',
    text: "return uid !== '' && controllerOf(object)?.uid === uid;",
    replacement: "return uid !== '' && controllerOf(object)?.uid !== uid;",
    breaks: 'An object of another owner counts as owned.',
  },
  {
    file: 'operator/model/selector.ts',
    text: "if (values.length === 1 && only !== '')",
    replacement: "if (values.length !== 1 && only !== '')",
    breaks: 'A selector with one value is written in a form that servers refuse.',
  },
  {
    file: 'operator/model/selector.ts',
    text: 'if (tokens.length === 0) return selector;',
    replacement: 'if (tokens.length !== 0) return selector;',
    breaks: 'A selector in text form is read as empty.',
  },
  {
    file: 'operator/model/status-body.ts',
    text: '...(field !== undefined && { field: withoutElements(field) }),',
    replacement: '...(field === undefined && { field: withoutElements(field) }),',
    breaks: 'A refusal does not name its field.',
  },
  {
    file: 'operator/process/program-output.ts',
    text: "if (name === 'stderr') this.#keepEnd(chunk);",
    replacement: "if (name !== 'stderr') this.#keepEnd(chunk);",
    breaks: 'The end of standard error is not told.',
  },
  {
    file: 'operator/process/run-files.ts',
    text: "if (error.code !== 'EEXIST') throw error;",
    replacement: "if (error.code === 'EEXIST') throw error;",
    breaks: 'A folder that is there already cannot be used.',
  },
  {
    file: 'operator/queue/work-queue.ts',
    text: 'everyMs === undefined',
    replacement: 'everyMs !== undefined',
    breaks: 'A retry with an interval of its own is delayed as any other, and the reverse.',
  },
  {
    file: 'operator/queue/work-queue.ts',
    text: 'if (before !== undefined && before >= priority) return;',
    replacement: 'if (before === undefined && before >= priority) return;',
    breaks: 'A key loses its higher priority when it is added again with a lower one.',
  },
  {
    file: 'operator/schema/printer-columns.ts',
    text: '...(description === undefined ? {} : { description }),',
    replacement: '...(description !== undefined ? {} : { description }),',
    breaks: 'A printer column has no description.',
  },
  {
    file: 'operator/schema/schema-rules.ts',
    text: 'if (problem === undefined) return;',
    replacement: 'if (problem !== undefined) return;',
    breaks: 'A default that its schema does not take is not refused.',
  },
  {
    file: 'operator/schema/value-problems.ts',
    text: 'if (maxLength !== undefined && length > maxLength) {',
    replacement: 'if (maxLength === undefined && length > maxLength) {',
    breaks: 'A text that is too long is not refused.',
  },
  {
    file: 'operator/schema/value-problems.ts',
    text: "const end = format === 'int32' ? INT32_END : INT64_END;",
    replacement: "const end = format !== 'int32' ? INT32_END : INT64_END;",
    breaks: 'A number beyond int32 is not refused.',
  },
  {
    file: 'operator/store/handlers.ts',
    text: 'if (!backpressure || delivery.working === undefined) continue;',
    replacement: 'if (!backpressure || delivery.working !== undefined) continue;',
    breaks: 'A handler that holds back delays nothing.',
  },
  {
    file: 'operator/store/handlers.ts',
    text: 'return waits === undefined ? undefined : Promise.all(waits);',
    replacement: 'return waits !== undefined ? undefined : Promise.all(waits);',
    breaks: 'The watch does not wait for handlers.',
  },
  {
    file: 'operator/store/handlers.ts',
    text: 'this.#tell(keys.slice(share(part), share(part + 1)));',
    replacement: 'this.#tell(keys.slice(share(part), share(part + 0)));',
    breaks: 'A resync tells handlers of nothing.',
  },
  {
    file: 'operator/store/informer.ts',
    text: "event.type === 'BOOKMARK' ? event.resourceVersion : event.entry.resourceVersion;",
    replacement: "event.type !== 'BOOKMARK' ? event.resourceVersion : event.entry.resourceVersion;",
    breaks: 'The watch resumes from a wrong resourceVersion.',
  },
  {
    file: 'operator/stream/lines.ts',
    text: 'held.push(end === 0 ? chunk : chunk.subarray(end));',
    replacement: 'held.push(end !== 0 ? chunk : chunk.subarray(end));',
    breaks: 'The rest of a line is lost between two chunks.',
  },
  {
    file: 'operator/transport/api-url.ts',
    text: "if (url.protocol !== 'http:') throw unusable(`scheme ${url.protocol} is not http:`, apiUrl);",
    replacement:
      "if (url.protocol === 'http:') throw unusable(`scheme ${url.protocol} is not http:`, apiUrl);",
    breaks: 'An address with https is accepted, and one with http is refused.',
  },
  {
    file: 'operator/transport/exchange.ts',
    text: 'if (deadlineMs !== undefined) {',
    replacement: 'if (deadlineMs === undefined) {',
    breaks: 'A call has no deadline.',
  },
  {
    file: 'operator/watch/list.ts',
    text: 'if (first || bySize || !isGone(error)) throw error;',
    replacement: 'if (first && bySize || !isGone(error)) throw error;',
    breaks: 'A first page that has expired is asked for again without pages.',
  },
  {
    file: 'operator/watch/list.ts',
    text: "if (event.type === 'BOOKMARK') {",
    replacement: "if (event.type !== 'BOOKMARK') {",
    breaks: 'The end of a streamed list is not seen.',
  },
  {
    file: 'operator/watch/policy/list-limiter.ts',
    text: 'if (this.#free > 0) {',
    replacement: 'if (this.#free >= 0) {',
    breaks: 'More than four lists are under way at a time.',
  },
  {
    file: 'operator/watch/policy/list-limiter.ts',
    text: 'if (!held) return;',
    replacement: 'if (held) return;',
    breaks: 'A list that has ended keeps its place.',
  },
  {
    file: 'operator/watch/watch-once.ts',
    text: 'const silenceMs = livelyBefore ? Math.min(PROVEN_SILENCE_MS, hardLimitMs) : hardLimitMs;',
    replacement:
      'const silenceMs = livelyBefore ? Math.max(PROVEN_SILENCE_MS, hardLimitMs) : hardLimitMs;',
    breaks: 'A half-open watch is replaced too late.',
  },
];
