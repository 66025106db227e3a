/** A model of a fake Ollama. @inline */
export interface FakeOllamaModel {
  /** Its name, with or without a tag. */
  readonly name: string;
  /** Such as `qwen3` or `gptoss`. @default llama */
  readonly family?: string | undefined;
  /** What it can do, such as `thinking`. @default completion and tools */
  readonly capabilities?: readonly string[] | undefined;
  /** Its longest context, in tokens. @default 32768 */
  readonly contextLength?: number | undefined;
}

/** A model with all fields filled in. */
export type KnownModel = { readonly [Key in keyof FakeOllamaModel]-?: NonNullable<FakeOllamaModel[Key]> };

/** The models of a server: the given ones, or else one of each requested name. */
export class FakeModels {
  private readonly models: readonly KnownModel[] | undefined;

  constructor(models: readonly FakeOllamaModel[] | undefined) {
    this.models = models?.map(complete);
  }

  /** The model with this name; without a tag, `latest` is meant. */
  find(name: string): KnownModel | undefined {
    if (this.models === undefined) return complete({ name });
    return this.models.find((model) => withTag(model.name) === withTag(name));
  }

  /** The answer of `/api/tags`: all given models. */
  tags(): object {
    return { models: (this.models ?? []).map((model) => summary(model)) };
  }
}

/** The answer of `/api/show` for a model. */
export function showModel({ family, capabilities, contextLength }: KnownModel): object {
  return {
    modelfile: "# Modelfile of a fake model",
    parameters: "",
    template: "{{ .Prompt }}",
    details: details(family),
    model_info: {
      "general.architecture": family,
      "general.parameter_count": 587_000,
      [`${family}.context_length`]: contextLength,
    },
    capabilities,
    modified_at: modifiedAt,
  };
}

/** When all fake models were modified. */
const modifiedAt = "2026-01-01T00:00:00Z";

function complete({ name, family, capabilities, contextLength }: FakeOllamaModel): KnownModel {
  return {
    name,
    family: family ?? "llama",
    capabilities: capabilities ?? ["completion", "tools"],
    contextLength: contextLength ?? 32_768,
  };
}

function withTag(name: string): string {
  return name.includes(":") ? name : `${name}:latest`;
}

function summary({ name, family }: KnownModel): object {
  const model = withTag(name);
  return {
    name: model,
    model,
    modified_at: modifiedAt,
    size: 587_000,
    digest: "0".repeat(64),
    details: details(family),
  };
}

function details(family: string): object {
  return { format: "gguf", family, families: [family], parameter_size: "587K", quantization_level: "F32" };
}
