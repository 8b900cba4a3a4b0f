// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guide's part inside a JVM: a JVMTI agent that tells the recorder which methods'
 * bytecode is where, how the interpreter fetches it, and what the compilers made.
 *
 * It must come before the first bytecode runs: HotSpot has an "early start" for agents,
 * when the interpreter has been made and nothing has run in it. Classes that were linked by
 * then, from HotSpot's archive, are reported as soon as the list of classes can be had.
 *
 * A thread of HotSpot's own reports compiled methods, some time after their code may
 * run, and at the program's end perhaps never; so those that are left are asked for then.
 *
 * Nothing is printed, and a JVM that this does not fit runs on untold.
 */
#include <jvmti.h>
#include <stdlib.h>
#include <string.h>

#include "guides/hotspot/classes.h"
#include "guides/hotspot/compiled.h"
#include "guides/hotspot/hide.h"
#include "guides/hotspot/interpreter.h"
#include "guides/hotspot/methods.h"
#include "guides/hotspot/tell.h"
#include "guides/hotspot/told.h"
#include "guides/hotspot/vm.h"

static struct vm vm;
static bool usable; /* this JVM's structures are known */

/* A method is its pointer's address in HotSpot. */
static const char *method_of(jmethodID id)
{
	return vm_pointer((const char *)id, 0);
}

/* ---- classes ------------------------------------------------------------- */

static void tell_class(jvmtiEnv *jvmti, jclass class)
{
	jmethodID *methods = NULL;
	jint n = 0;

	/* Arrays and classes that are not prepared have none. */
	if ((*jvmti)->GetClassMethods(jvmti, class, &n, &methods) != JVMTI_ERROR_NONE)
		return;
	if (n) {
		methods_tell(&vm, method_of(methods[0]));
		classes_tell(&vm, method_of(methods[0]));
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
}

static void tell_loaded(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jclass *classes = NULL;
	jint n = 0;

	if ((*jvmti)->GetLoadedClasses(jvmti, &n, &classes) != JVMTI_ERROR_NONE)
		return;
	for (jint i = 0; i < n; i++) {
		tell_class(jvmti, classes[i]);
		(*jni)->DeleteLocalRef(jni, classes[i]);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
	(void)jni, (void)thread;
	tell_class(jvmti, class);
}

/* ---- compiled code ------------------------------------------------------- */

static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID method, jint bytes,
				const void *code, jint map_length,
				const jvmtiAddrLocationMap *map, const void *info)
{
	(void)jvmti, (void)map_length, (void)map;
	/* A method whose class is gone no longer exists. */
	if (usable && method_of(method) &&
	    told_add(method_of(method), code, (uint32_t)bytes))
		compiled_tell(&vm, method_of(method), code, (uint32_t)bytes, info);
}

static void JNICALL on_unloaded(jvmtiEnv *jvmti, jmethodID method, const void *code)
{
	(void)jvmti, (void)method;
	told_remove(code);
	compiled_tell_gone(code);
}

static void JNICALL on_other(jvmtiEnv *jvmti, const char *name, const void *code,
			     jint bytes)
{
	(void)jvmti;
	/* The whole interpreter: its codelets say where it lies. */
	if (!strcmp(name, "Interpreter"))
		return;
	compiled_tell_other(name, code, (uint32_t)bytes);
}

/* ---- threads ------------------------------------------------------------- */

/*
 * The kernel has room for 15 bytes of a name, and none of it for the first thread's, which is
 * "main" and, while the JVM ends, another one.
 */
static void JNICALL on_thread(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	static __thread bool is_called;
	struct buf note = BUF_INIT;
	jvmtiThreadInfo info;

	if (is_called ||
	    (*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
		return;
	is_called = true;
	buf_put_string(&note, info.name);
	tell(NOTE_THREAD, &note);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
	(*jni)->DeleteLocalRef(jni, info.thread_group);
	(*jni)->DeleteLocalRef(jni, info.context_class_loader);
}

/* ---- the JVM's life ------------------------------------------------------ */

static void enable(jvmtiEnv *jvmti, jvmtiEvent event)
{
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event, NULL);
}

/* A property of the JVM, or "". */
static void put_property(jvmtiEnv *jvmti, struct buf *out, const char *name)
{
	char *value = NULL;

	if ((*jvmti)->GetSystemProperty(jvmti, name, &value) != JVMTI_ERROR_NONE) {
		buf_put_string(out, "");
		return;
	}
	buf_put_string(out, value);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)value);
}

static void tell_runtime(jvmtiEnv *jvmti)
{
	struct buf note = BUF_INIT;

	buf_put_string(&note, "hotspot");
	put_property(jvmti, &note, "java.vm.version");
	put_property(jvmti, &note, "java.vm.info");
	tell(NOTE_RUNTIME, &note);
}

/* 21: that of OpenJDK. */
static unsigned release_of(jvmtiEnv *jvmti)
{
	jint version = 0;

	(*jvmti)->GetVersionNumber(jvmti, &version);
	return ((unsigned)version & JVMTI_VERSION_MASK_MAJOR) >>
	       JVMTI_VERSION_SHIFT_MAJOR;
}

/* The interpreter is there, and has not run. */
static void JNICALL on_start(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jni;
	usable = vm_read(&vm, release_of(jvmti));
	if (!usable)
		return;
	interpreter_tell(&vm);
}

/* Classes may be asked for. */
static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	on_thread(jvmti, jni, thread);
	enable(jvmti, JVMTI_EVENT_THREAD_START);
	if (!usable)
		return;
	enable(jvmti, JVMTI_EVENT_CLASS_PREPARE);
	tell_loaded(jvmti, jni);
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jni;
	if (usable)
		(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	jvmtiCapabilities wanted = { .can_generate_early_vmstart = 1,
				     .can_generate_compiled_method_load_events = 1 };
	jvmtiEventCallbacks calls = { .VMStart = on_start,
				      .VMInit = on_init,
				      .VMDeath = on_death,
				      .ThreadStart = on_thread,
				      .ClassPrepare = on_class,
				      .CompiledMethodLoad = on_compiled,
				      .CompiledMethodUnload = on_unloaded,
				      .DynamicCodeGenerated = on_other };
	jvmtiEnv *jvmti;

	(void)options, (void)reserved;
	hide_agent();
	if ((*java)->GetEnv(java, (void **)&jvmti, JVMTI_VERSION_9) != JNI_OK ||
	    (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE)
		return JNI_OK;
	(*jvmti)->SetEventCallbacks(jvmti, &calls, sizeof(calls));
	enable(jvmti, JVMTI_EVENT_VM_START);
	enable(jvmti, JVMTI_EVENT_VM_INIT);
	enable(jvmti, JVMTI_EVENT_VM_DEATH);
	/* Events cannot be asked for between here and VMInit, nor properties. */
	enable(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	enable(jvmti, JVMTI_EVENT_COMPILED_METHOD_UNLOAD);
	enable(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	tell_runtime(jvmti);
	return JNI_OK;
}
