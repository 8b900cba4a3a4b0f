// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A JVMTI agent that counts how often each method of the classes Bytecodes* is entered, by
 * MethodEntry, and writes "name signature count" lines when the JVM ends.
 *
 * usage: java -agentpath:.../entries.so=FILE Class
 */
#include <jvmti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct entry {
	jmethodID method;
	char *name;
	unsigned long calls;
} * entries;
static size_t n_entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *out;

/* "Bytecodes.fib(I)I"; NULL: of another class. */
static char *name_of(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
	char *class = NULL, *name = NULL, *signature = NULL, *text = NULL;
	jclass of;

	if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &of) != JVMTI_ERROR_NONE)
		return NULL;
	(*jvmti)->GetClassSignature(jvmti, of, &class, NULL);
	(*jni)->DeleteLocalRef(jni, of);
	if (class && !strncmp(class, "LBytecodes", 10) && !strchr(class, '/') &&
	    !(*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) &&
	    asprintf(&text, "%.*s.%s%s", (int)strlen(class) - 2, class + 1, name,
		     signature) < 0)
		text = NULL;
	(*jvmti)->Deallocate(jvmti, (unsigned char *)class);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	return text;
}

static void count(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
	size_t i = 0;

	while (i < n_entries && entries[i].method != method)
		i++;
	if (i == n_entries) {
		entries = realloc(entries, (n_entries + 1) * sizeof(*entries));
		if (!entries)
			abort();
		entries[n_entries++] =
			(struct entry){ method, name_of(jvmti, jni, method), 0 };
	}
	entries[i].calls++;
}

static void JNICALL on_entry(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			     jmethodID method)
{
	(void)thread;
	pthread_mutex_lock(&lock);
	count(jvmti, jni, method);
	pthread_mutex_unlock(&lock);
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jni, (void)thread;
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY,
					   NULL);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	FILE *file = fopen(out, "w");

	(void)jvmti, (void)jni;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; file && i < n_entries; i++)
		if (entries[i].name)
			fprintf(file, "%s %lu\n", entries[i].name, entries[i].calls);
	pthread_mutex_unlock(&lock);
	if (file)
		fclose(file);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	jvmtiCapabilities wanted = { .can_generate_method_entry_events = 1 };
	jvmtiEventCallbacks calls = { .MethodEntry = on_entry,
				      .VMInit = on_init,
				      .VMDeath = on_death };
	jvmtiEnv *jvmti;

	(void)reserved;
	out = strdup(options);
	if ((*java)->GetEnv(java, (void **)&jvmti, JVMTI_VERSION_9) != JNI_OK ||
	    (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE)
		return JNI_ERR;
	(*jvmti)->SetEventCallbacks(jvmti, &calls, sizeof(calls));
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT,
					   NULL);
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH,
					   NULL);
	return JNI_OK;
}
