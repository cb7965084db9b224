CREATE TABLE "slowwave"."judge_exams" (
	"model" text NOT NULL,
	"version" text NOT NULL,
	"passed" boolean NOT NULL,
	"good" integer NOT NULL,
	"good_accepted" integer NOT NULL,
	"unsafe" integer NOT NULL,
	"unsafe_accepted" integer NOT NULL,
	"taken_at" timestamp with time zone NOT NULL,
	CONSTRAINT "judge_exams_model_version_pk" PRIMARY KEY("model","version")
);
