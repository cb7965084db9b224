export * from '../../packages/fusion/src/testing/statement-model.ts';
