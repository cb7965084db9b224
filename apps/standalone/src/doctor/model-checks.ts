import type { Config, ProviderConfig } from '@slowwave/config';
import {
  type CompletionRequest,
  type CompletionResponse,
  findJsonObject,
  ModelError,
} from '@slowwave/fusion';
import {
  createLocalEmbedder,
  createModels,
  dollarsOfNanos,
  findTransformers,
  installCommand,
  missingModelFiles,
  OFFLINE_LIMITS,
  packagePlaces,
  unpricedModels,
} from '@slowwave/models';
import { type Check, type Finding, fail, ok, warn } from './check.ts';

const ANSWER_MS = 20_000;
/** The endpoints whose keys have a known beginning. */
const ANTHROPIC_KEY = /^sk-ant-[\w-]{20,}$/;
const OPENAI_HOST = 'api.openai.com';
const OPENAI_KEY = /^sk-[\w-]{20,}$/;

/** What is wrong with a key by its looks; null: nothing. It is never shown. */
function keyTrouble(model: ProviderConfig): string | null {
  if (model.provider !== 'anthropic' && model.provider !== 'openai') return null;
  const key = model.apiKey ?? '';
  if (/[\s"']/.test(key)) return 'has a space or a quotation mark in it';
  if (model.provider === 'anthropic') {
    // Another endpoint has keys of its own.
    if (model.baseUrl !== undefined) return null;
    return ANTHROPIC_KEY.test(key) ? null : 'does not look like one: they begin with sk-ant-';
  }
  if (new URL(model.baseUrl).host !== OPENAI_HOST) return null;
  if (key === '') return 'is missing, and this endpoint needs one';
  return OPENAI_KEY.test(key) ? null : 'does not look like one: they begin with sk-';
}

const KEY = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;
const BASE_URL = { anthropic: 'ANTHROPIC_BASE_URL', openai: 'OPENAI_BASE_URL' } as const;

/** As the requests of runs: with a schema, a temperature and a longest answer. */
const REQUEST: CompletionRequest = {
  system: 'Answer with one JSON object and nothing else.',
  messages: [{ role: 'user', content: 'Answer with {"ok": true}.' }],
  temperature: 0.1,
  maxTokens: 256,
  schema: {
    type: 'object',
    properties: { ok: { type: 'boolean' } },
    required: ['ok'],
    additionalProperties: false,
  },
};

async function ask(config: Config, provider: 'anthropic' | 'openai'): Promise<Finding> {
  const models = createModels({ ...config });
  try {
    const answer = await models.provider!.complete({ ...REQUEST, signal: AbortSignal.timeout(ANSWER_MS) });
    return findingOf(answer, models.description);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return refusalOf(error, provider);
  }
}

/** Whether runs can use such an answer. */
function findingOf({ content, stopReason }: CompletionResponse, description: string): Finding {
  const found = findJsonObject(content.map(({ text }) => text).join(''), ['ok']);
  if (found.ok && typeof found.value.ok === 'boolean') return ok(`${description}: it answers as runs ask`);
  if (stopReason === 'max_tokens') {
    return fail(
      `the answer of the model was cut short at ${REQUEST.maxTokens} tokens: runs could not read such answers`,
      'switch its thinking off, or choose a model that does not think before it answers',
    );
  }
  return fail(
    'the model answers, and not with the JSON object that it is asked for: runs could not read its answers',
    'choose a model that follows a schema, or one whose endpoint can enforce it (SLOWWAVE_MODEL_STRUCTURED_OUTPUT)',
  );
}

function refusalOf({ code, status, message }: ModelError, provider: 'anthropic' | 'openai'): Finding {
  const said = status === null ? code : `${code}, status ${status}`;
  if (code === 'auth') {
    return fail(
      `the model's endpoint refuses the key (${said})`,
      `put a valid key into ${KEY[provider]}, and see that its account has credit`,
    );
  }
  if (code === 'rate_limited' || code === 'overloaded') {
    return warn(
      `the model is busy (${said})`,
      'runs wait and try again; raise the limits of the account if it lasts',
    );
  }
  if (code === 'invalid_response') {
    return fail(
      `what answers is no language model: ${message}`,
      `check ${BASE_URL[provider]}, whose path mostly ends in /v1, and whether a log-in page, a proxy or another service answers there`,
    );
  }
  return fail(
    `the model cannot be asked: ${message} (${said})`,
    `check SLOWWAVE_MODEL, ${BASE_URL[provider]}, and whether this machine may reach it`,
  );
}

/** @param options.ask one cheap call is made; otherwise only the looks of the key are judged */
export function modelCheck(config: Config, options: { ask: boolean }): Check {
  return {
    name: 'model',
    async look() {
      const { model } = config;
      if (model.provider === 'none') {
        return warn(
          'no language model is chosen: steps that need one are skipped',
          'set SLOWWAVE_MODEL_PROVIDER',
        );
      }
      if (model.provider === 'offline')
        return ok('the offline provider joins what repeats word for word, and asks nobody');
      const trouble = keyTrouble(model);
      if (trouble !== null)
        return fail(`${KEY[model.provider]} ${trouble}`, `put a valid key into ${KEY[model.provider]}`);
      const unpriced = unpricedModels(config, config.prices);
      if (unpriced.length > 0 && Object.values(config.budgets).some(({ nanos }) => nanos !== null)) {
        return fail(
          `a budget in dollars is set, and nobody knows the price of ${unpriced.join(', ')}: workers do not start`,
          'set SLOWWAVE_MODEL_PRICES, as name=input/output in US dollars per million tokens',
        );
      }
      if (options.ask) return ask(config, model.provider);
      return ok(`${model.provider}, model ${model.model}; not asked (--model makes one cheap call)`);
    },
  };
}

const SCOPES: [keyof Config['budgets'], string][] = [
  ['user_night', "a user's night"],
  ['user_day', "a user's day"],
  ['tenant_day', "a tenant's day"],
  ['overall_day', "everybody's day"],
];

/** What models may take, and whether anything bounds it. */
export function budgetsCheck({ model, budgets }: Pick<Config, 'model' | 'budgets'>): Check {
  return {
    name: 'budgets',
    async look() {
      if (model.provider === 'none' || model.provider === 'offline')
        return ok('no model is asked that costs anything');
      const set = SCOPES.flatMap(([scope, title]) => {
        const { tokens, nanos } = budgets[scope];
        const limits = [
          ...(tokens === null ? [] : [`${tokens.toLocaleString('en-US')} tokens`]),
          ...(nanos === null ? [] : [`$${dollarsOfNanos(nanos)}`]),
        ];
        return limits.length === 0 ? [] : [`${title} ${limits.join(' and ')}`];
      });
      if (set.length === 0)
        return warn(
          'every budget is switched off: only the limits of each run bound what models take',
          'set one of SLOWWAVE_BUDGET_USER_NIGHT_TOKENS and the other budgets to a number',
        );
      const forbidding = SCOPES.find(([scope]) => budgets[scope].tokens === 0 || budgets[scope].nanos === 0n);
      if (forbidding)
        return warn(
          `the budget of ${forbidding[1]} is 0: no model is asked`,
          `raise SLOWWAVE_BUDGET_${forbidding[0].toUpperCase()}_${budgets[forbidding[0]].tokens === 0 ? 'TOKENS' : 'DOLLARS'}, or say none`,
        );
      return ok(`at most ${set.join(', ')}`);
    },
  };
}

/** Whether the embedder can be used: of the local one package, files and one vector; others are asked with `--model` alone. */
export function embedderCheck(config: Config, options: { ask: boolean }): Check {
  return {
    name: 'embedder',
    async look() {
      const { embedder } = config;
      if (embedder.embedder === 'offline') return ok(`the offline embedder: ${OFFLINE_LIMITS}`);
      if (embedder.embedder === 'openai') {
        return options.ask
          ? remoteFinding(config)
          : ok(`vectors come from the endpoint of ${embedder.model}; not asked (--model asks for one)`);
      }
      return localFinding(embedder);
    },
  };
}

/** One vector, to see whether the endpoint makes any. */
async function remoteFinding(config: Config): Promise<Finding> {
  const { embedder } = createModels({ ...config });
  try {
    const [vector] = await embedder.embed(['slowwave'], { signal: AbortSignal.timeout(ANSWER_MS) });
    return ok(`${embedder.model} gives vectors of ${vector!.length} dimensions`);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return fail(
      `the embedder cannot be asked: ${error.message}`,
      'check SLOWWAVE_EMBEDDING_MODEL, SLOWWAVE_EMBEDDING_DIMENSIONS, SLOWWAVE_EMBEDDING_BASE_URL and OPENAI_API_KEY',
    );
  }
}

type LocalConfig = Extract<Config['embedder'], { embedder: 'local' }>;

async function localFinding(embedder: LocalConfig): Promise<Finding> {
  const { folder, model, dtype } = embedder;
  if (findTransformers(packagePlaces(folder)) === null)
    return fail('the package of the local embedder is not installed', installCommand(folder));
  const missing = await missingModelFiles(embedder);
  if (missing.length > 0)
    return fail(`of ${model} (${dtype}) there is no ${missing.join(', ')}`, `slowwave models pull ${model}`);
  const local = createLocalEmbedder(embedder);
  try {
    const [vector] = await local.embed(['slowwave']);
    return ok(`${model} (${dtype}) gives vectors of ${vector!.length} dimensions`);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return fail(
      `${model} cannot be run: ${error.message}`,
      'choose another model or form (SLOWWAVE_EMBEDDING_MODEL, SLOWWAVE_EMBEDDING_DTYPE), or remove its folder and pull it again',
    );
  } finally {
    await local.close();
  }
}

/** How long the whole check may take. */
export const MODEL_LIMIT_MS = ANSWER_MS + 5_000;
