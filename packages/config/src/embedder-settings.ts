import type { Setting } from './setting.ts';

/** Who turns texts into vectors, and when two of them count as related. */
export const EMBEDDER_SETTINGS = [
  {
    name: 'SLOWWAVE_EMBEDDER',
    kind: 'choice',
    default: 'offline',
    choices: ['offline', 'local', 'openai'],
    description:
      'Who embeds: offline (hashed n-grams, no model: shared words, not meaning), local (a small sentence model in this process) or openai (any compatible /embeddings endpoint).',
  },
  {
    name: 'SLOWWAVE_EMBEDDING_MODEL',
    kind: 'text',
    description:
      'Name of the embedding model; required for the openai embedder. Unset for local: Xenova/paraphrase-multilingual-MiniLM-L12-v2.',
  },
  {
    name: 'SLOWWAVE_EMBEDDING_DIR',
    kind: 'text',
    description: 'Folder of the models of the local embedder. Unset: models in SLOWWAVE_DATA_DIR.',
  },
  {
    name: 'SLOWWAVE_EMBEDDING_DTYPE',
    kind: 'choice',
    default: 'q8',
    choices: ['q8', 'fp32', 'fp16', 'q4'],
    description:
      'Which form of the model the local embedder runs: q8 (8 bits, a quarter of the size), fp32 (whole), fp16 or q4, where the model has it.',
  },
  {
    name: 'SLOWWAVE_EMBEDDING_BASE_URL',
    kind: 'url',
    schemes: ['http', 'https'],
    description: 'Base of the embeddings endpoint. Unset: OPENAI_BASE_URL.',
  },
  {
    name: 'SLOWWAVE_EMBEDDING_DIMENSIONS',
    kind: 'integer',
    min: 8,
    max: 16000,
    description:
      'Expected components per vector; part of the name under which vectors of an openai endpoint are stored, so that another number embeds memories anew. Unset: what the first answer has.',
  },
  {
    name: 'SLOWWAVE_SIMILARITY_THRESHOLD',
    kind: 'number',
    min: 0.4,
    max: 0.99,
    description:
      'Cosine from which two memories count as related. Unset: the value calibrated for the offline embedder, 0.5 for local, 0.75 for openai.',
  },
] as const satisfies readonly Setting[];
