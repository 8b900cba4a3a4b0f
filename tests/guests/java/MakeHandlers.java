// SPDX-License-Identifier: GPL-2.0-or-later
import static org.objectweb.asm.Opcodes.*;

import java.io.IOException;
import java.nio.file.*;
import java.util.function.Consumer;
import org.objectweb.asm.*;

/*
 * Writes the class Handlers, whose handlers of exceptions begin as no Java compiler has them
 * begin: with what throws itself, returns, calls, jumps, or is executed as a pair.
 *
 *	java -cp asm.jar:. MakeHandlers FOLDER
 */
public class MakeHandlers {
	static final String NAME = "Handlers", STATE = "java/lang/IllegalStateException",
		ARGUMENT = "java/lang/IllegalArgumentException", ANY = null;
	static final ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);

	static void method(String name, String type, Consumer<MethodVisitor> body) {
		MethodVisitor code = writer.visitMethod(ACC_PUBLIC | ACC_STATIC, name, type, null, null);

		code.visitCode();
		body.accept(code);
		code.visitMaxs(0, 0);
		code.visitEnd();
	}

	static void raise(MethodVisitor code, String type) {
		code.visitTypeInsn(NEW, type);
		code.visitInsn(DUP);
		code.visitMethodInsn(INVOKESPECIAL, type, "<init>", "()V", false);
		code.visitInsn(ATHROW);
	}

	/* What `body` throws is caught where its handler begins. */
	static void caught(MethodVisitor code, String type, Runnable body) {
		Label from = new Label(), to = new Label();

		code.visitLabel(from);
		body.run();
		code.visitLabel(to);
		code.visitTryCatchBlock(from, to, to, type);
	}

	static void call(MethodVisitor code, String name, String type) {
		code.visitMethodInsn(INVOKESTATIC, NAME, name, type, false);
	}

	static void result(MethodVisitor code, int number) {
		code.visitInsn(POP);
		code.visitIntInsn(BIPUSH, number);
		code.visitInsn(IRETURN);
	}

	/* Two handlers of one place, of which the argument chooses; both begin as `begin` has it. */
	static void either(MethodVisitor code, Consumer<MethodVisitor> begin) {
		Label from = new Label(), to = new Label(), second = new Label(), other = new Label();

		code.visitTryCatchBlock(from, to, to, STATE);
		code.visitTryCatchBlock(from, to, second, ARGUMENT);
		code.visitLabel(from);
		code.visitVarInsn(ILOAD, 0);
		code.visitJumpInsn(IFEQ, other);
		raise(code, STATE);
		code.visitLabel(other);
		raise(code, ARGUMENT);
		code.visitLabel(to);
		begin.accept(code);
		code.visitInsn(IRETURN);
		code.visitLabel(second);
		begin.accept(code);
		code.visitInsn(INEG);
		code.visitInsn(IRETURN);
	}

	static void methods() {
		/* Two handlers that throw what they caught, and one that does not. */
		method("chain", "()I", code -> {
			caught(code, ANY, () -> caught(code, ANY, () -> raise(code, STATE)));
			Label from = new Label(), to = new Label();
			code.visitLabel(from);
			code.visitInsn(ATHROW);
			code.visitLabel(to);
			code.visitTryCatchBlock(from, to, to, ANY);
			result(code, 3);
		});
		method("through", "()V", code -> {
			caught(code, ANY, () -> raise(code, STATE));
			code.visitInsn(ATHROW);
		});
		method("outer", "()I", code -> {
			caught(code, STATE, () -> {
				call(code, "through", "()V");
				code.visitInsn(ICONST_0);
				code.visitInsn(IRETURN);
			});
			result(code, 4);
		});
		/* What is thrown next comes of a constructor that runs. */
		method("cast", "()I", code -> {
			caught(code, "java/lang/ClassCastException", () -> {
				caught(code, STATE, () -> raise(code, STATE));
				code.visitTypeInsn(CHECKCAST, ARGUMENT);
			});
			result(code, 5);
		});
		/* HotSpot makes one bytecode of two loads. */
		method("pair", "(IIII)I", code -> {
			caught(code, ANY, () -> raise(code, STATE));
			code.visitVarInsn(ILOAD, 2);
			code.visitVarInsn(ILOAD, 3);
			code.visitInsn(IADD);
			code.visitInsn(IRETURN);
		});
		method("load", "(IIIIII)I", code -> {
			caught(code, ANY, () -> raise(code, STATE));
			code.visitVarInsn(ILOAD, 4);
			code.visitVarInsn(ILOAD, 5);
			code.visitInsn(IADD);
			code.visitInsn(IRETURN);
		});
		method("back", "()Ljava/lang/Object;", code -> {
			caught(code, ANY, () -> raise(code, STATE));
			code.visitInsn(ARETURN);
		});
		method("zero", "(Ljava/lang/Object;)I", code -> {
			code.visitInsn(ICONST_0);
			code.visitInsn(IRETURN);
		});
		method("calls", "()I", code -> {
			caught(code, ANY, () -> raise(code, STATE));
			call(code, "zero", "(Ljava/lang/Object;)I");
			code.visitInsn(IRETURN);
		});
		method("either", "(I)I", code ->
			either(code, begin -> call(begin, "zero", "(Ljava/lang/Object;)I")));
	}

	public static void main(String[] args) throws IOException {
		writer.visit(V1_5, ACC_PUBLIC | ACC_SUPER, NAME, null, "java/lang/Object", null);
		methods();
		method("main", "([Ljava/lang/String;)V", code -> {
			for (int round = 0; round < 6; round++) {
				for (String name : new String[] { "chain", "outer", "cast", "calls" }) {
					call(code, name, "()I");
					code.visitInsn(POP);
				}
				for (int i = 0; i < 4; i++)
					code.visitInsn(ICONST_1);
				call(code, "pair", "(IIII)I");
				code.visitInsn(POP);
				for (int i = 0; i < 6; i++)
					code.visitInsn(ICONST_1);
				call(code, "load", "(IIIIII)I");
				code.visitInsn(POP);
				call(code, "back", "()Ljava/lang/Object;");
				code.visitInsn(POP);
				code.visitIntInsn(BIPUSH, round & 1);
				call(code, "either", "(I)I");
				code.visitInsn(POP);
			}
			code.visitInsn(RETURN);
		});
		writer.visitEnd();
		Files.write(Path.of(args[0], NAME + ".class"), writer.toByteArray());
	}
}
